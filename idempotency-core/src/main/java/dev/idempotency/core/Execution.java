package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An execution of an operation. It is finished once, by {@link #complete}; closing it
 * before that releases the key. It may be finished on another thread than the one it
 * began on.
 */
public abstract class Execution implements AutoCloseable {

	/**
	 * Only the engine creates executions.
	 */
	Execution() {
	}

	/**
	 * The key, with its namespace.
	 */
	public abstract IdempotencyKey key();

	/**
	 * Which attempt this is.
	 * @return 1, or more after a takeover
	 */
	public abstract int attempt();

	/**
	 * Whether an earlier attempt may have done the work already.
	 * @return whether this attempt has taken the key over
	 */
	public final boolean mayHaveRun() {
		return attempt() > 1;
	}

	/**
	 * Stores the result. If it is too large for the store, the operation is completed
	 * without it: what has run must not run again.
	 * @param payload the result, which must not be changed any more, or {@code null} to
	 * store only the fact that the operation has run
	 * @return how it was completed
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion complete(byte @Nullable [] payload);

	/**
	 * Stores the result, as {@link #complete(byte[])} does, without a copy of one that is
	 * in several pieces.
	 * @param result the result, neither compressed nor encrypted
	 * @return how it was completed
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeWith(StoredResult result);

	/**
	 * Stores the result as a part of the transaction in which the work was done, and
	 * commits it: both are committed, or neither is. If the claim is lost, the
	 * transaction is rolled back.
	 * @param transaction the transaction that the calling thread is in; it is ended here
	 * @param payload the result, or {@code null} to store only the fact that the
	 * operation has run
	 * @return how it was completed
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeIn(Transaction transaction, byte @Nullable [] payload);

	/**
	 * Stores the result, as {@link #completeIn} does, without a copy of one that is in
	 * several pieces.
	 * @param transaction the transaction that the calling thread is in; it is ended here
	 * @param result the result, neither compressed nor encrypted
	 * @return how it was completed
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeWith(Transaction transaction, StoredResult result);

	/**
	 * Commits the transaction in which the work was done, and releases the key: a retry
	 * runs again. If the claim is lost, the transaction is rolled back.
	 * @param transaction the transaction that the calling thread is in; it is ended here
	 * @return {@link Completion.Kind#RELEASED}, or how the commit failed
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion closeIn(Transaction transaction);

	/**
	 * Makes sure that the claim is held when the transaction of the work is committed,
	 * which the caller of the operation ends. Stores no result: the key is released when
	 * {@link #transactionEnded} is called.
	 * @return {@link Completion.Kind#JOINED} or {@link Completion.Kind#SUPERSEDED}, as
	 * {@link #joinTransaction} does
	 */
	public abstract Completion holdTransaction();

	/**
	 * Stores the result as a part of the transaction in which the work was done, and
	 * which the caller of the operation ends. The lease is renewed until
	 * {@link #transactionEnded} is called.
	 * @param payload the result, or {@code null} to store only the fact that the
	 * operation has run
	 * @return {@link Completion.Kind#JOINED}, or {@link Completion.Kind#SUPERSEDED}: then
	 * the transaction must be rolled back, because another attempt does the work
	 * @throws dev.idempotency.IdempotencyStoreException if the store failed; the
	 * transaction must be rolled back
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion joinTransaction(byte @Nullable [] payload);

	/**
	 * The transaction that the execution has {@linkplain #joinTransaction joined} has
	 * ended. If the execution has not joined it with a result, the key is released.
	 * @param ending how it has ended
	 */
	public abstract void transactionEnded(Ending ending);

	/**
	 * The operation has steps, which are claimed after it and have the same ttl. Its
	 * result is kept for the whole ttl from its completion on. Otherwise a later attempt
	 * could find steps of an operation whose record has expired.
	 */
	public abstract void hasSteps();

	/**
	 * The work is of no use without its result. If the result cannot be stored,
	 * {@link #completeIn} rolls the transaction back and throws the reason.
	 */
	public abstract void resultIsNeeded();

	/**
	 * It is unknown whether the work was done. When this is closed, the key is not
	 * released but left to the next attempt, which may begin at once, and knows.
	 */
	public abstract void outcomeIsUnknown();

	/**
	 * The work has failed. After some failures, as the policy says,
	 * {@linkplain #outcomeIsUnknown() it is unknown} whether it was done.
	 */
	public abstract void workFailed(Throwable failure);

	/**
	 * Stops renewing the lease, because it is unknown whether the execution will finish.
	 * It still can, as long as no other attempt has taken the key over.
	 */
	public abstract void letLeaseRunOut();

	/**
	 * Releases the key, unless the execution is finished: a retry runs again. If the
	 * outcome is unknown, the retry is a later attempt.
	 */
	@Override
	public abstract void close();

}
