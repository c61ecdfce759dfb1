package dev.idempotency.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.core.LeaseKeeper.KeptLease;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An operation that holds its key.
 */
final class ClaimedExecution implements Execution {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private final GuardedStore store;

	private final Listeners listeners;

	private final Attempt attempt;

	private final Claim claim;

	private final KeptLease lease;

	private final AtomicBoolean finished = new AtomicBoolean();

	private volatile Completion.@Nullable Joined joined;

	ClaimedExecution(GuardedStore store, Listeners listeners, Attempt attempt, Claim claim, KeptLease lease) {
		this.store = store;
		this.listeners = listeners;
		this.attempt = attempt;
		this.claim = claim;
		this.lease = lease;
	}

	@Override
	public IdempotencyKey key() {
		return this.claim.key();
	}

	@Override
	public int attempt() {
		return this.claim.attempt();
	}

	@Override
	public Completion complete(byte[] payload) {
		StoredResult result = pack(payload);
		return (result != null) ? finish(() -> store(result, true)) : completeWithoutResult();
	}

	@Override
	public Completion completeWithoutResult() {
		return finish(() -> store(StoredResult.tombstone(), false));
	}

	@Override
	public Completion completeIn(Transaction transaction, byte[] payload) {
		StoredResult result = pack(payload);
		return (result != null) ? finish(() -> storeIn(transaction, result, true))
				: completeWithoutResultIn(transaction);
	}

	@Override
	public Completion completeWithoutResultIn(Transaction transaction) {
		return finish(() -> storeIn(transaction, StoredResult.tombstone(), false));
	}

	@Override
	public Completion joinTransaction(byte @Nullable [] payload) {
		requireUnfinished(this.finished.get());
		StoredResult result = (payload != null) ? pack(payload) : null;
		try {
			return (result != null) ? join(result, true) : join(StoredResult.tombstone(), false);
		}
		catch (ResultTooLargeException ex) {
			dropped(ex);
			return join(StoredResult.tombstone(), false);
		}
	}

	private Completion join(StoredResult result, boolean withPayload) {
		if (this.store.completeInCallersTransaction(this.claim, result, this.attempt.policy().ttl())) {
			this.joined = new Completion.Joined(withPayload);
			return this.joined;
		}
		return finish(() -> {
			this.lease.lost();
			return new Completion.Superseded(whatARetryWouldBeTold());
		});
	}

	@Override
	public void transactionEnded(Ending ending) {
		if (!this.finished.compareAndSet(false, true)) {
			return;
		}
		this.lease.end();
		this.listeners.publish(switch (ending) {
			case COMMITTED -> (this.joined != null) ? stored() : released(giveBack());
			case ROLLED_BACK -> released(giveBack());
			case UNKNOWN -> releasedUnlessCommitted();
		});
	}

	private IdempotencyEvent releasedUnlessCommitted() {
		try {
			return this.store.afterTransaction(this.claim) ? stored() : released(true);
		}
		catch (IdempotencyException ex) {
			// Logged and published already; whoever comes next finds out
			return released(false);
		}
	}

	private IdempotencyEvent stored() {
		return new IdempotencyEvent.Finished(key(),
				new Completion.Stored(this.joined != null && this.joined.withPayload()));
	}

	private IdempotencyEvent released(boolean done) {
		return done ? new IdempotencyEvent.Released(key()) : new IdempotencyEvent.NotReleased(key());
	}

	/**
	 * Makes of a payload what is to be kept.
	 * @return {@code null} if it cannot be kept
	 */
	private @Nullable StoredResult pack(byte[] payload) {
		try {
			return this.store.pack(key(), payload);
		}
		catch (ResultTooLargeException | IllegalStateException ex) {
			dropped(ex);
			return null;
		}
	}

	private Completion finish(Supplier<Completion> store) {
		requireUnfinished(!this.finished.compareAndSet(false, true));
		// Before the key is completed in a transaction: a renewal would wait for its end
		this.lease.end();
		Completion completion = store.get();
		this.listeners.publish(new IdempotencyEvent.Finished(key(), completion));
		return completion;
	}

	private void requireUnfinished(boolean finished) {
		if (finished) {
			throw new IllegalStateException("The execution of %s is finished already".formatted(key()));
		}
	}

	private Completion store(StoredResult result, boolean withPayload) {
		try {
			if (this.store.complete(this.claim, result, this.attempt.policy().ttl())) {
				return new Completion.Stored(withPayload);
			}
			return storeAfterLoss(result, withPayload);
		}
		catch (ResultTooLargeException ex) {
			dropped(ex);
			return store(StoredResult.tombstone(), false);
		}
		catch (IdempotencyStoreException ex) {
			return new Completion.Failed(ex);
		}
	}

	/**
	 * The lease was over and the claim is lost. If nobody holds the key now (the
	 * successor gave it back, or vanished too), this result is as good as any, and
	 * storing it saves a further run; otherwise the one who holds the key decides.
	 */
	private Completion storeAfterLoss(StoredResult result, boolean withPayload) {
		this.lease.lost();
		Attempt again = this.attempt.toRegainClaim();
		ClaimResult answer = this.store.claim(again);
		if (answer instanceof ClaimResult.Refused refused) {
			return new Completion.Superseded(decideLate(refused.record(), again));
		}
		Claim regained = ((ClaimResult.Granted) answer).claim();
		return this.store.complete(regained, result, again.policy().ttl()) ? new Completion.Stored(withPayload)
				: new Completion.Superseded(new Decision.InProgress(RetryAfter.ofFresh(again.policy().lease())));
	}

	private Completion storeIn(Transaction transaction, StoredResult result, boolean withPayload) {
		try {
			if (!this.store.completeInTransaction(this.claim, result, this.attempt.policy().ttl())) {
				rollBack(transaction);
				this.lease.lost();
				return new Completion.Superseded(whatARetryWouldBeTold());
			}
		}
		catch (ResultTooLargeException ex) {
			dropped(ex);
			return storeIn(transaction, StoredResult.tombstone(), false);
		}
		catch (RuntimeException ex) {
			rollBack(transaction);
			giveBack();
			return new Completion.RolledBack(ex);
		}
		try {
			transaction.commit();
			return new Completion.Stored(withPayload);
		}
		catch (RuntimeException ex) {
			// If it was committed after all, there is nothing left to give back
			releasedUnlessCommitted();
			return new Completion.RolledBack(ex);
		}
	}

	private void rollBack(Transaction transaction) {
		try {
			transaction.rollBack();
		}
		catch (RuntimeException ex) {
			logger.warn("The transaction of {} could not be rolled back: {}", key(), ex.toString());
			logger.debug("The failure in full", ex);
		}
	}

	private Decision whatARetryWouldBeTold() {
		Attempt again = this.attempt.toRegainClaim();
		try {
			ClaimResult answer = this.store.claim(again);
			if (answer instanceof ClaimResult.Refused refused) {
				return decideLate(refused.record(), again);
			}
			// The successor is gone too: a retry can have the key
			this.store.release(((ClaimResult.Granted) answer).claim());
		}
		catch (IdempotencyStoreException ex) {
			// Logged and published already
		}
		return new Decision.InProgress(Duration.ZERO);
	}

	/**
	 * The work is done and the claim is lost: what cannot be read is no reason to fail.
	 */
	private Decision decideLate(IdempotencyRecord record, Attempt again) {
		try {
			return this.store.readable(key(), IdempotencyEngine.decide(record, again));
		}
		catch (UnreadableResultException | UnsupportedFormatException ex) {
			return new Decision.Replay(StoredResult.tombstone(), record.trace());
		}
	}

	@Override
	public void letLeaseRunOut() {
		if (this.lease.end() && !this.finished.get()) {
			this.listeners.publish(new IdempotencyEvent.Abandoned(key()));
		}
	}

	private void dropped(RuntimeException ex) {
		logger.warn("The result of {} is not kept, its retries cannot be answered with it: {}", key(), ex.getMessage());
	}

	@Override
	public void close() {
		if (!this.finished.compareAndSet(false, true)) {
			return;
		}
		this.lease.end();
		this.listeners.publish(released(giveBack()));
	}

	private boolean giveBack() {
		try {
			if (this.store.release(this.claim)) {
				return true;
			}
			this.lease.lost();
		}
		catch (IdempotencyException ex) {
			// Logged and published already; the key is free when its lease is over
		}
		return false;
	}

}
