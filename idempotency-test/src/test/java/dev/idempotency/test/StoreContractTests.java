package dev.idempotency.test;

import java.time.Instant;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.ReferenceStore.Defect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * The contract passes a store that keeps it, and finds each defect that is planted in it.
 */
@Tag("once")
class StoreContractTests {

	@ParameterizedTest
	@EnumSource(value = Defect.class, names = "NONE")
	void passesAStoreThatKeepsIt(Defect none) {
		Events tests = runContract(none);
		tests.assertStatistics((statistics) -> statistics.failed(0).skipped(0));
		assertThat(tests.succeeded().count()).isGreaterThan(50);
	}

	@ParameterizedTest
	@EnumSource(value = Defect.class, names = "NONE", mode = Mode.EXCLUDE)
	void findsEachDefect(Defect defect) {
		assertThat(runContract(defect).failed().count()).isPositive();
	}

	@ParameterizedTest
	@EnumSource(value = Defect.class, names = "NONE")
	void findsAnAbilityThatNobodyTests(Defect none) {
		DefectUnderTest.defect = none;
		Events tests = EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(ForgetfulContract.class))
			.execute()
			.testEvents();
		assertThat(tests.failed().stream()).singleElement()
			.satisfies((event) -> assertThat(event.getTestDescriptor().getDisplayName())
				.startsWith("everyAbilityOfTheStoreIsUnderContract"));
	}

	private static Events runContract(Defect defect) {
		DefectUnderTest.defect = defect;
		return EngineTestKit.engine("junit-jupiter").selectors(selectClass(FullContract.class)).execute().testEvents();
	}

	/**
	 * How the launched contracts learn which defect they are up against.
	 */
	private static final class DefectUnderTest {

		private static volatile Defect defect = Defect.NONE;

	}

	static class ForgetfulContract extends IdempotencyStoreContract {

		private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

		private final ReferenceStore store = new ReferenceStore(this.clock, DefectUnderTest.defect);

		@Override
		public IdempotencyStore store() {
			return this.store;
		}

		@Override
		public StoreTime time() {
			return StoreTime.of(this.clock);
		}

	}

	static class FullContract extends ForgetfulContract
			implements SearchableStoreContract, JoiningStoreContract, NotifyingStoreContract, PurgeableStoreContract {

		@Override
		public CallerTransaction transaction() {
			return (ReferenceStore) store();
		}

	}

}
