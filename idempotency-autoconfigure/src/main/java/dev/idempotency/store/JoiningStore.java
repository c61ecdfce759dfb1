package dev.idempotency.store;

import java.time.Duration;

/**
 * A store that can complete a key inside the business transaction, so that the work and
 * its result are committed together or not at all.
 */
public interface JoiningStore extends IdempotencyStore {

	/**
	 * Like {@link #complete}, but as a part of the transaction that the calling thread is
	 * in.
	 * @param claim the claim
	 * @param result the result
	 * @param ttl how long the result is remembered
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because someone else does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store could join
	 */
	boolean completeInTransaction(Claim claim, StoredResult result, Duration ttl);

	/**
	 * Whether the calling thread is in a transaction that the store can join.
	 * @return whether {@link #completeInTransaction} can be called now
	 */
	boolean isInTransaction();

}
