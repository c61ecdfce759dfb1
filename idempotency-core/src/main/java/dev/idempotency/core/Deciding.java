package dev.idempotency.core;

import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.LeaseKeeper.KeptLease;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the result of a claim into a decision, and publishes it once.
 */
final class Deciding {

	private static final Logger logger = LoggerFactory.getLogger(EngineLog.NAME);

	private final EngineSettings settings;

	private final GuardedStore store;

	private final LeaseKeeper leaseKeeper;

	private volatile boolean paused;

	Deciding(EngineSettings settings, GuardedStore store, LeaseKeeper leaseKeeper) {
		this.settings = settings;
		this.store = store;
		this.leaseKeeper = leaseKeeper;
	}

	/**
	 * Decides about an attempt.
	 * @param attempt the attempt, in its namespace and its trace
	 * @param observing whether the attempt runs even if its claim is refused
	 * @param told the listeners that get the decision
	 * @param claim claims the key, or returns the result of an earlier claim
	 */
	Decision decide(Attempt attempt, boolean observing, Listeners told, Supplier<ClaimResult> claim) {
		Decision decision;
		try {
			decision = decide(attempt, claim.get(), told);
		}
		catch (IdempotencyException ex) {
			if (this.settings.mode() == Mode.ENFORCE && !mayRunWithoutStore(ex)) {
				told.publish(new IdempotencyEvent.Undecided(attempt.key(), ex));
				throw ex;
			}
			logger.warn("Running {} without protection: {}", attempt.key(), ex.getMessage());
			told.publish(new IdempotencyEvent.RanUnprotected(attempt.key()));
			return unprotected(attempt);
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, () -> told.publish(new IdempotencyEvent.Undecided(attempt.key(),
					new IdempotencyStoreException("Nothing was decided about %s".formatted(attempt.key()), ex))));
			throw ex;
		}
		boolean enforced = !observing || decision instanceof Decision.Proceed;
		tell(decision, enforced, attempt.key(), told);
		if (enforced) {
			return decision;
		}
		logger.info("Observed only: {} would have been answered with {}", attempt.key(), decision);
		return unprotected(attempt);
	}

	/**
	 * Publishes the decision. If that fails, the operation does not run, and a claimed
	 * key is released.
	 */
	private static void tell(Decision decision, boolean enforced, IdempotencyKey key, Listeners told) {
		try {
			told.publish((decision instanceof Decision.Proceed proceed)
					? new IdempotencyEvent.Decided(key, proceed.execution().attempt(), null, enforced)
					: new IdempotencyEvent.Decided(key, 0, (Decision.Answer) decision, enforced));
		}
		catch (Throwable ex) {
			if (decision instanceof Decision.Proceed proceed) {
				FirstFailure.then(ex, proceed.execution()::close);
			}
			throw ex;
		}
	}

	private boolean mayRunWithoutStore(IdempotencyException ex) {
		return ex instanceof IdempotencyStoreException && this.settings.onStoreFailure() == OnStoreFailure.PROCEED;
	}

	private static Decision unprotected(Attempt attempt) {
		return new Decision.Proceed(new UnprotectedExecution(attempt.key()));
	}

	private Decision decide(Attempt attempt, ClaimResult result, Listeners told) {
		if (result instanceof ClaimResult.Refused refused) {
			return Answering.answer(refused.record(), attempt, this.store);
		}
		Claim claim = ((ClaimResult.Granted) result).claim();
		KeptLease lease = null;
		try {
			lease = this.leaseKeeper.keep(claim, attempt.policy().lease());
			// After keep: either the pausing thread sees the lease, or this thread sees
			// the pause
			if (this.paused) {
				throw new IdempotencyStoreException(
						"%s does not begin: the connections of the idempotency store are being closed"
							.formatted(attempt.key()),
						null);
			}
			if (claim.attempt() > 1) {
				// Nothing else reports that a process crashed during an operation
				logger.warn("Attempt {} at {} begins: an earlier one did not complete, and may have done its work",
						claim.attempt(), claim.key());
				told.publish(new IdempotencyEvent.TakenOver(claim.key(), claim.attempt()));
			}
			return new Decision.Proceed(new ClaimedExecution(this.store, told, attempt, claim, lease));
		}
		catch (Throwable ex) {
			// Nothing has run
			if (lease != null) {
				lease.end();
			}
			FirstFailure.thenTry(ex, () -> this.store.release(claim));
			throw ex;
		}
	}

	/**
	 * Stops new executions, unless one is in progress.
	 * @return whether none is in progress; otherwise nothing is changed
	 */
	boolean pauseIfIdle() {
		if (this.leaseKeeper.size() > 0) {
			return false;
		}
		this.paused = true;
		// An execution that has begun since may continue
		this.paused = this.leaseKeeper.size() == 0;
		return this.paused;
	}

	void resume() {
		this.paused = false;
	}

}
