package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An operation on its way. It is finished once, by {@link #complete}; closing it before
 * that gives the key back. It may be finished on another thread than it was begun on.
 */
public abstract class Execution implements AutoCloseable {

	/**
	 * The engine alone makes executions.
	 */
	Execution() {
	}

	/**
	 * The key, with its namespace.
	 * @return the key
	 */
	public abstract IdempotencyKey key();

	/**
	 * Which attempt this is.
	 * @return 1, or more if earlier attempts vanished
	 */
	public abstract int attempt();

	/**
	 * Whether an earlier attempt may have done the work already: look before you act.
	 * @return whether an earlier attempt vanished
	 */
	public final boolean isRetryAfterCrash() {
		return attempt() > 1;
	}

	/**
	 * Stores the result. One that is too large for the store is dropped, and the
	 * operation is completed without it: what has run must not run again.
	 * @param payload the result, which must not be changed any more, or {@code null} to
	 * store only the fact that the operation has run
	 * @return what became of it
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion complete(byte @Nullable [] payload);

	/**
	 * Stores the result, as {@link #complete(byte[])} does, without a copy of one that is
	 * in several pieces.
	 * @param result the result, neither compressed nor encrypted
	 * @return what became of it
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeWith(StoredResult result);

	/**
	 * Stores the result as a part of the transaction in which the work was done, and
	 * commits it: both count, or neither does. Where the claim is lost, the transaction
	 * is rolled back.
	 * @param transaction the transaction that the calling thread is in; it is ended here
	 * @param payload the result, or {@code null} to store only the fact that the
	 * operation has run
	 * @return what became of both
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeIn(Transaction transaction, byte @Nullable [] payload);

	/**
	 * Stores the result, as {@link #completeIn} does, without a copy of one that is in
	 * several pieces.
	 * @param transaction the transaction that the calling thread is in; it is ended here
	 * @param result the result, neither compressed nor encrypted
	 * @return what became of both
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion completeWith(Transaction transaction, StoredResult result);

	/**
	 * Stores the result as a part of the transaction in which the work was done, and
	 * which the caller of the operation ends: it counts from the commit on. Until its end
	 * is {@linkplain #transactionEnded told}, the lease is renewed.
	 * @param payload the result, or {@code null} to store only the fact that the
	 * operation has run
	 * @return {@link Completion.Kind#JOINED}, or {@link Completion.Kind#SUPERSEDED}: then
	 * the transaction must be rolled back, because someone else does the work
	 * @throws dev.idempotency.IdempotencyStoreException if the store failed; the
	 * transaction must be rolled back
	 * @throws IllegalStateException if the execution is finished or closed already
	 */
	public abstract Completion joinTransaction(byte @Nullable [] payload);

	/**
	 * The transaction that the execution has {@linkplain #joinTransaction joined} has
	 * ended. If there was nothing to join it with, the key is given back.
	 * @param ending how
	 */
	public abstract void transactionEnded(Ending ending);

	/**
	 * The operation has steps, which are claimed after it and live as long: its result is
	 * remembered for the whole ttl from its end on. Otherwise whoever uses the key again
	 * could find steps of an operation that is forgotten.
	 */
	public abstract void hasSteps();

	/**
	 * Renews the lease no more, because nobody knows whether the execution will come to
	 * its end. It still can, while nobody has taken the key over.
	 */
	public abstract void letLeaseRunOut();

	/**
	 * Gives the key back, unless the execution is finished: a retry runs again.
	 */
	@Override
	public abstract void close();

}
