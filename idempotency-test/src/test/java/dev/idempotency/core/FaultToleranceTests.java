package dev.idempotency.core;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongSupplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.fixtures.BrokenCipher;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.InjectedError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plays each story over and over, each time with another combination of faults: every
 * call to the store may go well, fail before its effect or fail after it, with an
 * exception or with an {@link Error}.
 * <p>
 * Whatever fails, nothing runs inside the lease of another execution (unless that one's
 * work failed and it gave its key back) or after a completion, no key stays blocked when
 * its lease is over, no lease is kept that nobody needs, and no transaction stays open.
 */
class FaultToleranceTests {

	private static final List<Fault> FAULTS = List.of(Fault.NONE, Fault.BEFORE, Fault.AFTER);

	private static final List<Fault> ERRORS = List.of(Fault.NONE, Fault.ERROR_BEFORE, Fault.ERROR_AFTER, Fault.BEFORE,
			Fault.AFTER);

	private final Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyEngine.class);

	@BeforeEach
	void logNothing() {
		// Each of the thousands of faults would be logged
		this.logger.setLevel(Level.OFF);
	}

	@AfterEach
	void logAgain() {
		this.logger.setLevel(null);
	}

	static final List<List<Act>> STORIES = List.of(
			List.of(Act.SUCCEED, Act.FAIL, Act.WAIT_A_LEASE, Act.SUCCEED, Act.FAIL),
			List.of(Act.FAIL, Act.SUCCEED, Act.SUCCEED, Act.WAIT_HALF_A_LEASE, Act.SUCCEED),
			List.of(Act.STALL_WHILE_ANOTHER_SUCCEEDS, Act.FAIL, Act.SUCCEED),
			List.of(Act.STALL_WHILE_ANOTHER_FAILS, Act.FAIL, Act.SUCCEED, Act.FAIL),
			List.of(Act.OUTLIVE_THE_LEASE_AND_SUCCEED, Act.FAIL),
			List.of(Act.OUTLIVE_THE_LEASE_AND_FAIL, Act.SUCCEED, Act.FAIL));

	@ParameterizedTest
	@FieldSource("STORIES")
	void noCombinationOfFaultsRunsAnOperationTwiceInsideALeaseOrBlocksItsKeyPastIt(List<Act> acts) {
		play(acts, FAULTS, LongRun.choose(6, 9), false);
	}

	/**
	 * The errors of a JVM are none of the store's. Packing a result may fail with one,
	 * too.
	 */
	@ParameterizedTest
	@FieldSource("STORIES")
	void neitherDoesACombinationOfErrors(List<Act> acts) {
		play(acts, ERRORS, LongRun.choose(3, 5), false);
	}

	/**
	 * Where the work is done in a transaction, it counts if its key is completed, and
	 * only then.
	 */
	@ParameterizedTest
	@FieldSource("STORIES")
	void noCombinationOfErrorsTearsAKeyFromItsTransaction(List<Act> acts) {
		play(acts, ERRORS, LongRun.choose(3, 5), true);
	}

	private static void play(List<Act> acts, List<Fault> faults, int faultsAtOnce, boolean transactional) {
		int combinations = (int) Math.pow(faults.size(), faultsAtOnce);
		int executions = 0;
		for (int combination = 0; combination < combinations; combination++) {
			Story story = new Story(combination, faults, transactional);
			story.play(acts);
			executions += story.executions;
		}
		assertThat(executions).as("the story was worth telling").isGreaterThan(combinations / 3);
	}

	/**
	 * What a client that tries again and again can meet.
	 */
	enum Act {

		SUCCEED, FAIL, WAIT_A_LEASE, WAIT_HALF_A_LEASE, OUTLIVE_THE_LEASE_AND_SUCCEED, OUTLIVE_THE_LEASE_AND_FAIL,
		STALL_WHILE_ANOTHER_SUCCEEDS, STALL_WHILE_ANOTHER_FAILS

	}

	/**
	 * One combination of faults.
	 */
	private static final class Story extends EngineFixture {

		private static final EngineSettings SETTINGS = new EngineSettings("shop", Mode.ENFORCE, OnStoreFailure.REJECT,
				ResultPacking.none().withEncryption("MDEyMzQ1Njc4OWFiY2RlZg==", List.of()));

		private final int combination;

		private final List<Fault> plan;

		private final boolean transactional;

		private int faultsLeft;

		private int executions;

		private final Witness witness = new Witness(this.memory, this.clock::millis);

		private Story(int combination, List<Fault> plan, boolean transactional) {
			this.combination = combination;
			this.plan = plan;
			this.transactional = transactional;
			this.faultsLeft = combination;
			this.faults = (verb) -> nextFault();
			this.engine = transactional
					? engine(FaultInjectingStore.around(this.witness, (verb) -> this.faults.next(verb)), SETTINGS)
					: engine(new FaultInjectingStore(this.witness, (verb) -> this.faults.next(verb)), SETTINGS);
		}

		private Fault nextFault() {
			Fault fault = this.plan.get(this.faultsLeft % this.plan.size());
			this.faultsLeft /= this.plan.size();
			return fault;
		}

		private void play(List<Act> acts) {
			for (Act act : acts) {
				play(act);
				assertThat(this.engine.executionsInProgress()).as("leases that are kept, %s", this).isZero();
				assertThat(this.witness.pending).as("a transaction that is open, %s", this).isNull();
			}
			mend();
			this.clock.advance(LEASE);
			assertThat(begin().reason()).as("the key is not blocked past its lease, %s", this)
				.isIn(null, Reason.NOT_REPLAYABLE);
		}

		private void play(Act act) {
			switch (act) {
				case SUCCEED -> succeed(run());
				case FAIL -> fail(run());
				case WAIT_A_LEASE -> this.clock.advance(LEASE);
				case WAIT_HALF_A_LEASE -> this.clock.advance(LEASE.dividedBy(2));
				case OUTLIVE_THE_LEASE_AND_SUCCEED -> succeed(outlivingTheLease());
				case OUTLIVE_THE_LEASE_AND_FAIL -> fail(outlivingTheLease());
				case STALL_WHILE_ANOTHER_SUCCEEDS -> stallDuring(() -> succeed(run()));
				case STALL_WHILE_ANOTHER_FAILS -> stallDuring(() -> fail(run()));
			}
		}

		private @Nullable Execution outlivingTheLease() {
			Execution execution = run();
			for (int i = 0; i < 3; i++) {
				this.clock.advance(LEASE.dividedBy(2));
				this.engine.renewLeases();
				fail(run());
			}
			return execution;
		}

		private void stallDuring(Runnable act) {
			Execution stalled = run();
			this.clock.advance(LEASE.plusSeconds(1));
			act.run();
			succeed(stalled);
		}

		private void succeed(@Nullable Execution execution) {
			if (execution != null) {
				boolean packs = this.plan.equals(FAULTS) || nextFault() == Fault.NONE;
				contained(() -> {
					Completion completion = packs ? complete(execution)
							: BrokenCipher.during(() -> complete(execution));
					assertThat(completion).isNotNull();
				});
				contained(execution::close);
				this.witness.workFailed = false;
			}
		}

		private Completion complete(Execution execution) {
			return this.transactional ? execution.completeIn(this.witness.new PlayedTransaction(), bytes("paid"))
					: execution.complete(bytes("paid"));
		}

		private void fail(@Nullable Execution execution) {
			if (execution != null) {
				this.witness.workFailed = true;
				contained(execution::close);
				this.witness.workFailed = false;
			}
		}

		/**
		 * An error reaches the caller as it is.
		 */
		private static void contained(Runnable action) {
			try {
				action.run();
			}
			catch (InjectedError | UnsatisfiedLinkError ex) {
				// As planned
			}
		}

		private @Nullable Execution run() {
			try {
				if (begin() instanceof Decision.Proceed proceed) {
					assertThat(this.witness.mayRun()).as("nothing else holds the key, %s", this).isTrue();
					this.executions++;
					return proceed.execution();
				}
			}
			catch (IdempotencyStoreException | InjectedError ex) {
				// The client is told to come back
			}
			return null;
		}

		@Override
		public String toString() {
			return "combination " + this.combination;
		}

	}

	/**
	 * Sees what really happened behind the faults, and keeps its own account of who may
	 * run.
	 */
	private static final class Witness extends ForwardingStore implements JoiningStore {

		private final LongSupplier now;

		private final Map<UUID, Long> leaseEnds = new HashMap<>();

		private @Nullable UUID latest;

		private boolean completed;

		private boolean workFailed;

		/**
		 * What a transaction that is open will complete.
		 */
		private @Nullable Claim pending;

		private Witness(IdempotencyStore store, LongSupplier now) {
			super(store);
			this.now = now;
		}

		/**
		 * Whether the latest claim is the only one that holds, and nothing is completed.
		 */
		private boolean mayRun() {
			return !this.completed && this.leaseEnds.entrySet()
				.stream()
				.allMatch((entry) -> entry.getKey().equals(this.latest) || entry.getValue() <= this.now.getAsLong());
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			ClaimResult result = super.claim(key, fingerprint, terms);
			if (result instanceof ClaimResult.Granted granted) {
				this.latest = granted.claim().owner();
				this.leaseEnds.put(granted.claim().owner(), this.now.getAsLong() + terms.lease().toMillis());
			}
			return result;
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			boolean renewed = super.renew(claim, lease);
			if (renewed) {
				this.leaseEnds.put(claim.owner(), this.now.getAsLong() + lease.toMillis());
			}
			return renewed;
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			boolean done = super.complete(claim, result, atLeast);
			this.completed |= done;
			return done;
		}

		@Override
		public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
			this.pending = claim;
			return renew(claim, EngineFixture.LEASE);
		}

		@Override
		public boolean isInTransaction() {
			return true;
		}

		@Override
		public boolean release(Claim claim) {
			boolean released = super.release(claim);
			if (released && this.workFailed) {
				this.leaseEnds.remove(claim.owner());
			}
			return released;
		}

		/**
		 * The transaction in which the work is done.
		 */
		private final class PlayedTransaction implements Transactions.Transaction {

			@Override
			public void commit() {
				Claim claim = Objects.requireNonNull(Witness.this.pending, "nothing was completed");
				Witness.this.pending = null;
				assertThat(complete(claim, StoredResult.tombstone(), EngineFixture.TTL)).isTrue();
			}

			@Override
			public void rollBack() {
				Witness.this.pending = null;
				// Its work is undone
				Witness.this.workFailed = true;
			}

		}

	}

}
