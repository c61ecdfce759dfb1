package dev.idempotency.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.core.LeaseKeeper.KeptLease;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.Claim;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An execution that holds its key.
 */
final class ClaimedExecution extends Execution {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private final GuardedStore store;

	private final Listeners listeners;

	private final Attempt attempt;

	private final Claim claim;

	private final KeptLease lease;

	private final AtomicBoolean finished = new AtomicBoolean();

	/**
	 * The completion that applies once the caller's transaction is committed.
	 */
	private volatile @Nullable Completion joined;

	private volatile boolean steps;

	private volatile boolean resultNeeded;

	private volatile boolean unknown;

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
	public Completion complete(byte @Nullable [] payload) {
		return finish(null, plain(payload), true);
	}

	@Override
	public Completion completeWith(StoredResult result) {
		return finish(null, result, true);
	}

	@Override
	public Completion completeIn(Transaction transaction, byte @Nullable [] payload) {
		return finish(transaction, plain(payload), true);
	}

	@Override
	public Completion completeWith(Transaction transaction, StoredResult result) {
		return finish(transaction, result, true);
	}

	@Override
	public Completion closeIn(Transaction transaction) {
		return finish(transaction, null, false);
	}

	@Override
	public Completion holdTransaction() {
		requireUnfinished();
		return isHeldInTransaction() ? Completion.JOINED : supersededInTransaction();
	}

	private boolean isHeldInTransaction() {
		return this.store.holdInTransaction(this.claim, this.attempt.policy().lease());
	}

	@Override
	public Completion joinTransaction(byte @Nullable [] payload) {
		requireUnfinished();
		StoredResult result = pack(plain(payload));
		try {
			return (result != null) ? join(result, true) : join(StoredResult.tombstone(), false);
		}
		catch (ResultTooLargeException ex) {
			dropped(ex);
			return join(StoredResult.tombstone(), false);
		}
	}

	@Override
	public void hasSteps() {
		this.steps = true;
	}

	/**
	 * How long the result is kept, whatever is left of the ttl.
	 */
	private Duration atLeast() {
		return this.steps ? this.attempt.policy().ttl() : this.attempt.policy().lease();
	}

	private Completion join(StoredResult result, boolean withPayload) {
		if (this.store.completeInCallersTransaction(this.claim, result, atLeast())) {
			this.joined = Completion.stored(withPayload);
			return Completion.JOINED;
		}
		return supersededInTransaction();
	}

	private Completion supersededInTransaction() {
		this.finished.set(true);
		Completion superseded = lost().superseded();
		this.listeners.publish(new IdempotencyEvent.Finished(key(), superseded));
		return superseded;
	}

	@Override
	public void transactionEnded(Ending ending) {
		end(() -> switch (ending) {
			case COMMITTED -> (this.joined != null) ? stored() : releasedUnlessCommitted();
			case ROLLED_BACK -> released(giveBack());
			case UNKNOWN -> releasedUnlessCommitted();
		});
	}

	private IdempotencyEvent releasedUnlessCommitted() {
		if (this.unknown) {
			return released(giveBack());
		}
		try {
			return this.store.afterTransaction(this.claim) ? stored() : released(true);
		}
		catch (IdempotencyException ex) {
			// Logged and published already; the next attempt finds out
			return released(false);
		}
	}

	private IdempotencyEvent stored() {
		Completion known = this.joined;
		return new IdempotencyEvent.Finished(key(), (known != null) ? known : Completion.stored(false));
	}

	private IdempotencyEvent released(boolean done) {
		if (!done) {
			return new IdempotencyEvent.NotReleased(key());
		}
		return this.unknown ? new IdempotencyEvent.OutcomeUnknown(key(), attempt())
				: new IdempotencyEvent.Released(key());
	}

	private static @Nullable StoredResult plain(byte @Nullable [] payload) {
		return (payload != null) ? StoredResult.ofPieces(new byte[StoredResult.HEADER], payload) : null;
	}

	/**
	 * Packs a result for the store.
	 * @return {@code null} if there is none, or it cannot be stored
	 */
	private @Nullable StoredResult pack(@Nullable StoredResult plain) {
		try {
			return (plain != null) ? this.store.pack(key(), plain) : null;
		}
		catch (RuntimeException ex) {
			drop(ex);
			return null;
		}
	}

	/**
	 * Ends the execution.
	 * @param transaction the transaction of the work, which is ended in any case, or
	 * {@code null}
	 * @param plain the result, or {@code null} to store only the fact that it has run
	 * @param kept whether to store anything
	 */
	private Completion finish(@Nullable Transaction transaction, @Nullable StoredResult plain, boolean kept) {
		if (!this.finished.compareAndSet(false, true)) {
			IllegalStateException tooLate = alreadyFinished();
			if (transaction != null) {
				FirstFailure.then(tooLate, transaction::rollBack);
			}
			throw tooLate;
		}
		Completion completion;
		try {
			StoredResult packed = pack(plain);
			StoredResult result = (packed != null) ? packed : StoredResult.tombstone();
			completion = (transaction != null) ? storeWithoutLease(transaction, kept ? result : null, packed != null)
					: storeUnderLease(result, packed != null);
		}
		catch (Throwable ex) {
			// No later call could end this execution
			this.lease.end();
			FirstFailure.then(ex, () -> this.listeners
				.publish((transaction != null) ? undoneAfter(ex, transaction) : keptWithoutResultAfter(ex)));
			throw ex;
		}
		this.listeners.publish((completion.kind() == Completion.Kind.RELEASED) ? released(true)
				: new IdempotencyEvent.Finished(key(), completion));
		return completion;
	}

	private void requireUnfinished() {
		if (this.finished.get()) {
			throw alreadyFinished();
		}
	}

	private IllegalStateException alreadyFinished() {
		return new IllegalStateException("The execution of %s is finished already".formatted(key()));
	}

	/**
	 * After an error, the transaction undoes the work, and a retry does it again. If the
	 * commit threw the error, the store knows whether it was committed.
	 */
	private IdempotencyEvent undoneAfter(Throwable failure, Transaction transaction) {
		FirstFailure.then(failure, transaction::rollBack);
		return released(FirstFailure.thenTry(failure,
				() -> this.unknown ? giveBack() : !this.store.afterTransaction(this.claim)));
	}

	/**
	 * After an error, the work is done and must not run again. A tombstone takes next to
	 * no memory; if even that fails, the lease keeps retries out until it expires.
	 */
	private IdempotencyEvent keptWithoutResultAfter(Throwable failure) {
		boolean kept = FirstFailure.thenTry(failure,
				() -> this.store.complete(this.claim, StoredResult.tombstone(), atLeast()));
		return new IdempotencyEvent.Finished(key(), kept ? Completion.stored(false) : Completion
			.failed(new IdempotencyStoreException("The result of %s was not stored".formatted(key()), failure)));
	}

	/**
	 * The lease is renewed meanwhile, since the store may wait for a connection for
	 * longer than the lease.
	 */
	private Completion storeUnderLease(StoredResult result, boolean withPayload) {
		this.lease.endsSoon();
		Completion completion = store(result, withPayload);
		this.lease.end();
		return completion;
	}

	/**
	 * The lease is not renewed any more, since a renewal would wait for the end of the
	 * transaction.
	 */
	private Completion storeWithoutLease(Transaction transaction, @Nullable StoredResult result, boolean withPayload) {
		this.lease.end();
		return storeIn(transaction, result, withPayload);
	}

	private Completion store(StoredResult result, boolean withPayload) {
		try {
			if (this.store.complete(this.claim, result, atLeast())) {
				return Completion.stored(withPayload);
			}
			return lost().complete(result, withPayload);
		}
		catch (ResultTooLargeException ex) {
			dropped(ex);
			return store(StoredResult.tombstone(), false);
		}
		catch (IdempotencyStoreException ex) {
			return Completion.failed(ex);
		}
	}

	/**
	 * Commits the transaction if the claim is held.
	 * @param result what the same transaction stores, or {@code null} to store nothing
	 */
	private Completion storeIn(Transaction transaction, @Nullable StoredResult result, boolean withPayload) {
		try {
			boolean held = (result != null) ? this.store.completeInTransaction(this.claim, result, atLeast())
					: isHeldInTransaction();
			if (!held) {
				rollBack(transaction);
				return lost().superseded();
			}
		}
		catch (ResultTooLargeException ex) {
			drop(ex);
			return storeIn(transaction, StoredResult.tombstone(), false);
		}
		catch (RuntimeException ex) {
			rollBack(transaction);
			giveBack();
			return Completion.rolledBack(ex);
		}
		boolean interrupted = Thread.interrupted();
		try {
			transaction.commit();
		}
		catch (RuntimeException ex) {
			return afterFailedCommit(ex, result, withPayload);
		}
		finally {
			GuardedStore.restore(interrupted);
		}
		if (result == null) {
			releasedUnlessCommitted();
			return Completion.RELEASED;
		}
		return Completion.stored(withPayload);
	}

	/**
	 * A commit may take effect and fail all the same, for example because its reply is
	 * lost. What it was to store tells.
	 */
	private Completion afterFailedCommit(RuntimeException failure, @Nullable StoredResult result, boolean withPayload) {
		if (result == null) {
			releasedUnlessCommitted();
			return Completion.unknown(failure);
		}
		try {
			boolean released = !this.store.afterTransaction(this.claim);
			return released ? Completion.rolledBack(failure)
					: new LostClaim(this.store, this.claim, this.attempt).completeIn(failure, result, withPayload);
		}
		catch (IdempotencyException ex) {
			// Logged and published already
			return Completion.unknown(failure);
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

	/**
	 * The lease expired before the work was done.
	 */
	private LostClaim lost() {
		this.lease.lost();
		return new LostClaim(this.store, this.claim, this.attempt);
	}

	@Override
	public void resultIsNeeded() {
		this.resultNeeded = true;
	}

	@Override
	public void outcomeIsUnknown() {
		this.unknown = true;
	}

	@Override
	public void workFailed(Throwable failure) {
		if (this.attempt.policy().unknownOutcomes().isUnknownAfter(failure)) {
			outcomeIsUnknown();
		}
	}

	@Override
	public void letLeaseRunOut() {
		if (this.lease.end() && !this.finished.get()) {
			this.listeners.publish(new IdempotencyEvent.Abandoned(key()));
		}
	}

	/**
	 * Goes on without the result, unless the work must be undone then.
	 */
	private void drop(RuntimeException ex) {
		if (this.resultNeeded) {
			throw ex;
		}
		dropped(ex);
	}

	private void dropped(RuntimeException ex) {
		logger.warn("The result of {} is not stored and cannot be replayed: {}", key(), ex.getMessage());
	}

	@Override
	public void close() {
		end(() -> released(giveBack()));
	}

	private void end(Supplier<IdempotencyEvent> ending) {
		if (!this.finished.compareAndSet(false, true)) {
			return;
		}
		this.lease.end();
		IdempotencyEvent event;
		try {
			event = ending.get();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, () -> this.listeners.publish(released(false)));
			throw ex;
		}
		this.listeners.publish(event);
	}

	private boolean giveBack() {
		try {
			if (this.unknown) {
				logger.info("It is unknown whether attempt {} of {} did its work: the next attempt is told", attempt(),
						key());
			}
			if (this.unknown ? this.store.abandon(this.claim) : this.store.release(this.claim)) {
				return true;
			}
			this.lease.lost();
		}
		catch (IdempotencyException ex) {
			// Logged and published already; the key is free when its lease expires
		}
		return false;
	}

}
