package dev.idempotency.test;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.JoiningServerStore.Defect;
import dev.idempotency.test.ServerStore.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
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
 * The contract passes stores that keep it, and finds each that does not.
 */
class StoreContractTests {

	@Test
	void passesAStoreThatKeepsIt() {
		Events tests = run(FullContract.class, joining(Defect.NONE), null);
		tests.assertStatistics((statistics) -> statistics.failed(0).skipped(0));
		assertThat(tests.succeeded().count()).isGreaterThan(200);
	}

	@ParameterizedTest
	@EnumSource
	void findsEachWrongStoreWhereItShould(WrongStore wrong) {
		assertThat(run(ServerContract.class, wrong::on, wrong.contract()).failed().count())
			.as("failures of %s", wrong.contract().getSimpleName())
			.isPositive();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "NONE")
	void findsEachDefectOfAStoreThatJoinsTransactions(Defect defect) {
		assertThat(run(JoiningContract.class, joining(defect), null).failed().count()).isPositive();
	}

	@Test
	void findsAnAbilityThatNobodyTests() {
		assertThat(run(ServerContract.class, joining(Defect.NONE), IdempotencyStoreContract.class).failed().stream())
			.singleElement()
			.satisfies((event) -> assertThat(event.getTestDescriptor().getDisplayName())
				.startsWith("everyAbilityOfTheStoreIsUnderContract"));
	}

	private static Function<Server, ServerStore> joining(Defect defect) {
		return (server) -> new JoiningServerStore(server, defect);
	}

	/**
	 * Runs a contract.
	 * @param only where something is to be found, or {@code null} to run all of it
	 */
	private static Events run(Class<?> contract, Function<Server, ServerStore> instance, @Nullable Class<?> only) {
		UnderTest.instance = instance;
		UnderTest.only = only;
		UnderTest.found = false;
		return EngineTestKit.engine("junit-jupiter").selectors(selectClass(contract)).execute().testEvents();
	}

	/**
	 * How the launched contracts learn what they are up against. Something that is found
	 * need not be found again: the tests that are left are skipped.
	 */
	private static final class UnderTest implements ExecutionCondition, TestWatcher {

		private static volatile Function<Server, ServerStore> instance = ServerStore::new;

		private static volatile @Nullable Class<?> only;

		private static volatile boolean found;

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			boolean elsewhere = only != null
					&& context.getTestMethod().filter((test) -> test.getDeclaringClass() != only).isPresent();
			return ((found && only != null) || elsewhere)
					? ConditionEvaluationResult.disabled("It is found, or to be found elsewhere")
					: ConditionEvaluationResult.enabled(null);
		}

		@Override
		public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
			found = true;
		}

	}

	/**
	 * Two objects in front of one server.
	 */
	@ExtendWith(UnderTest.class)
	static class ServerContract extends IdempotencyStoreContract implements SearchableStoreContract,
			NotifyingStoreContract, PurgeableStoreContract, BatchRenewingStoreContract {

		private final Instances instances = new Instances();

		@Override
		public IdempotencyStore store() {
			return this.instances.store;
		}

		@Override
		public IdempotencyStore otherInstance() {
			return this.instances.other;
		}

		@Override
		public StoreTime time() {
			return StoreTime.of(this.instances.clock);
		}

		@Override
		public Duration patience() {
			return (UnderTest.only == null) ? super.patience() : Duration.ofMillis(500);
		}

	}

	static class FullContract extends ServerContract implements JoiningStoreContract {

		@Override
		public CallerTransaction transaction() {
			return (JoiningServerStore) store();
		}

	}

	/**
	 * The contract of stores that join transactions, and nothing else.
	 */
	static class JoiningContract implements JoiningStoreContract {

		private final Instances instances = new Instances();

		@Override
		public IdempotencyStore store() {
			return this.instances.store;
		}

		@Override
		public IdempotencyStore otherInstance() {
			return this.instances.other;
		}

		@Override
		public StoreTime time() {
			return StoreTime.of(this.instances.clock);
		}

		@Override
		public Duration patience() {
			return Duration.ofMillis(500);
		}

		@Override
		public CallerTransaction transaction() {
			return (JoiningServerStore) store();
		}

	}

	private static final class Instances {

		private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

		private final Server server = new Server(this.clock, isRemote());

		private final ServerStore store = UnderTest.instance.apply(this.server);

		private final ServerStore other = UnderTest.instance.apply(this.server);

		/**
		 * Only where instances meet is the way to a server worth its time.
		 */
		private static boolean isRemote() {
			Class<?> only = UnderTest.only;
			return only != KeysContract.class && only != TimeContract.class && only != CrashesContract.class;
		}

	}

}
