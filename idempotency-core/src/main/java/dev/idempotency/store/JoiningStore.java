package dev.idempotency.store;

import java.time.Duration;

/**
 * A store that can complete a key inside the business transaction, so that the work and
 * its result are committed together or not at all.
 */
public interface JoiningStore extends IdempotencyStore {

	/**
	 * Like {@link #complete}, but as a part of the transaction of the calling thread,
	 * which ends right afterwards.
	 * @param atLeast how long the result is kept even if less is left of the ttl
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because another attempt does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store can join
	 */
	boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast);

	/**
	 * Like {@link #completeInTransaction}, but the transaction continues for an unknown
	 * time. Other access, including renewals of this claim, must not wait for its end.
	 * Rolling back to a savepoint undoes it. Until {@link #afterTransaction} is called,
	 * no renewal reports the claim as lost because this was committed.
	 * @param atLeast how long the result is kept even if less is left of the ttl
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because another attempt does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store can join
	 */
	default boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast);
	}

	/**
	 * Makes sure that a claim is held until the end of the calling thread's transaction,
	 * which completes nothing. {@link #afterTransaction} then releases the key. A store
	 * that cannot do this inside the transaction starts the lease again instead.
	 * @param lease the length of its lease
	 * @return {@code false} if the claim is lost; the transaction must then be rolled
	 * back, because another attempt does the work
	 * @throws IllegalStateException if the calling thread is in no transaction that the
	 * store can join
	 */
	default boolean holdInTransaction(Claim claim, Duration lease) {
		return renew(claim, lease);
	}

	/**
	 * Called after the transaction in which a key was completed or held. If it was not
	 * committed, the claim is released. If it has not quite ended, this method waits for
	 * its end.
	 * @return whether the key is completed, or its claim is lost
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
