package dev.idempotency.store;

import java.time.Duration;

/**
 * A store that can complete a key inside the business transaction, so that the work and
 * its result are committed together or not at all.
 */
public interface JoiningStore extends IdempotencyStore {

	/**
	 * Like {@link #complete}, but as a part of the transaction that the calling thread is
	 * in, and that ends right after this.
	 * @param claim the claim
	 * @param result the result
	 * @param atLeast for how long the result is remembered even if less is left of the
	 * ttl
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because someone else does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store could join
	 */
	boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast);

	/**
	 * Like {@link #completeInTransaction}, but the transaction goes on, nobody knows for
	 * how long: what others do meanwhile, renewals of this claim among it, must not wait
	 * for its end. A savepoint that is rolled back undoes it. Until
	 * {@link #afterTransaction} has been asked, no renewal says that the claim is lost
	 * because this was committed.
	 * @param claim the claim
	 * @param result the result
	 * @param atLeast for how long the result is remembered even if less is left of the
	 * ttl
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because someone else does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store could join
	 */
	default boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast);
	}

	/**
	 * The transaction in which a key was completed has ended, and the store says how: if
	 * it was not committed, the claim is released. Where the end is still under way, it
	 * is waited for.
	 * @param claim the claim
	 * @return whether the key is completed, or its claim lost to somebody else
	 */
	default boolean afterTransaction(Claim claim) {
		return !release(claim);
	}

	/**
	 * Whether the calling thread is in a transaction that the store can join.
	 * @return whether {@link #completeInTransaction} can be called now
	 */
	boolean isInTransaction();

}
