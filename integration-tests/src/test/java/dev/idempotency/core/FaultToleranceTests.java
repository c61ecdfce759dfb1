package dev.idempotency.core;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.LongRun;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plays each story over and over, each time with another combination of faults: every
 * call to the store may go well, fail before its effect or fail after it.
 * <p>
 * Whatever fails, nothing runs inside the lease of another execution (unless that one's
 * work failed and it gave its key back) or after a completion, and no key stays blocked
 * when its lease is over.
 */
@Tag("once")
class FaultToleranceTests {

	private static final List<Fault> FAULTS = List.of(Fault.NONE, Fault.BEFORE, Fault.AFTER);

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
		int combinations = (int) Math.pow(FAULTS.size(), LongRun.choose(6, 9));
		int executions = 0;
		for (int combination = 0; combination < combinations; combination++) {
			Story story = new Story(combination);
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

		private final int combination;

		private int faultsLeft;

		private int executions;

		private final Witness witness = new Witness(this.memory, this.clock::millis);

		private Story(int combination) {
			this.combination = combination;
			this.faultsLeft = combination;
			this.faults = (verb) -> nextFault();
			this.engine = engine(new FaultInjectingStore(this.witness, (verb) -> this.faults.next(verb)),
					EngineSettings.of("shop"));
		}

		private Fault nextFault() {
			Fault fault = FAULTS.get(this.faultsLeft % FAULTS.size());
			this.faultsLeft /= FAULTS.size();
			return fault;
		}

		private void play(List<Act> acts) {
			acts.forEach(this::play);
			mend();
			this.clock.advance(LEASE);
			assertThat(begin()).as("the key is not blocked past its lease, %s", this)
				.isInstanceOfAny(Decision.Proceed.class, Decision.Replay.class);
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

		private static void succeed(@Nullable Execution execution) {
			if (execution != null) {
				execution.complete(bytes("paid"));
				execution.close();
			}
		}

		private void fail(@Nullable Execution execution) {
			if (execution != null) {
				this.witness.workFailed = true;
				execution.close();
				this.witness.workFailed = false;
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
			catch (IdempotencyStoreException ex) {
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
	private static final class Witness implements IdempotencyStore {

		private final IdempotencyStore store;

		private final LongSupplier now;

		private final Map<UUID, Long> leaseEnds = new HashMap<>();

		private @Nullable UUID latest;

		private boolean completed;

		private boolean workFailed;

		private Witness(IdempotencyStore store, LongSupplier now) {
			this.store = store;
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
			ClaimResult result = this.store.claim(key, fingerprint, terms);
			if (result instanceof ClaimResult.Granted granted) {
				this.latest = granted.claim().owner();
				this.leaseEnds.put(granted.claim().owner(), this.now.getAsLong() + terms.lease().toMillis());
			}
			return result;
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			boolean renewed = this.store.renew(claim, lease);
			if (renewed) {
				this.leaseEnds.put(claim.owner(), this.now.getAsLong() + lease.toMillis());
			}
			return renewed;
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration ttl) {
			boolean done = this.store.complete(claim, result, ttl);
			this.completed |= done;
			return done;
		}

		@Override
		public boolean release(Claim claim) {
			boolean released = this.store.release(claim);
			if (released && this.workFailed) {
				this.leaseEnds.remove(claim.owner());
			}
			return released;
		}

	}

}
