package dev.idempotency.test;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.ReferenceStore.Defect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
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
		DefectUnderTest.plant(none);
		Events tests = EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(ForgetfulContract.class))
			.execute()
			.testEvents();
		assertThat(tests.failed().stream()).singleElement()
			.satisfies((event) -> assertThat(event.getTestDescriptor().getDisplayName())
				.startsWith("everyAbilityOfTheStoreIsUnderContract"));
	}

	private static Events runContract(Defect defect) {
		DefectUnderTest.plant(defect);
		return EngineTestKit.engine("junit-jupiter").selectors(selectClass(FullContract.class)).execute().testEvents();
	}

	/**
	 * How the launched contracts learn which defect they are up against. One that is
	 * found need not be found again: the tests that are left are skipped.
	 */
	private static final class DefectUnderTest implements ExecutionCondition, TestWatcher {

		private static volatile Defect defect = Defect.NONE;

		private static volatile boolean found;

		private static void plant(Defect planted) {
			defect = planted;
			found = false;
		}

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			return found ? ConditionEvaluationResult.disabled("It is found") : ConditionEvaluationResult.enabled(null);
		}

		@Override
		public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
			found = defect != Defect.NONE;
		}

	}

	static class ForgetfulContract extends IdempotencyStoreContract {

		private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

		private final ReferenceStore store = new ReferenceStore(this.clock, DefectUnderTest.defect);

		@Override
		public IdempotencyStore store() {
			return this.store;
		}

		@Override
		public IdempotencyStore otherInstance() {
			return this.store;
		}

		@Override
		public StoreTime time() {
			return StoreTime.of(this.clock);
		}

	}

	/**
	 * What costs thousands of threads comes last: few defects need it to be found.
	 */
	private static final class RacesLast implements MethodOrderer {

		@Override
		public void orderMethods(MethodOrdererContext context) {
			context.getMethodDescriptors().sort(Comparator.comparing((test) -> isRace(test.getMethod())));
		}

		private static boolean isRace(Method test) {
			return test.getDeclaringClass() == RacesContract.class;
		}

	}

	@ExtendWith(DefectUnderTest.class)
	@TestMethodOrder(RacesLast.class)
	static class FullContract extends ForgetfulContract
			implements SearchableStoreContract, JoiningStoreContract, NotifyingStoreContract, PurgeableStoreContract {

		@Override
		public CallerTransaction transaction() {
			return (ReferenceStore) store();
		}

		@Override
		public Duration patience() {
			return (DefectUnderTest.defect == Defect.NONE) ? super.patience() : Duration.ofSeconds(1);
		}

	}

}
