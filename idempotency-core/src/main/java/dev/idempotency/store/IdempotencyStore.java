package dev.idempotency.store;

import java.time.Duration;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;

/**
 * Remembers who holds a key and what came of it.
 * <p>
 * Each verb is one atomic round trip. Every write after the claim is conditional on the
 * claim's owner, so that an executor which stalled past its lease can neither overwrite
 * nor free the key of its successor. Only durations cross this interface: the store's own
 * clock decides what is over. A store that cannot be reached throws whatever its driver
 * throws.
 * <p>
 * A further ability is a further interface: {@link PurgeableStore},
 * {@link InspectableStore}, {@link SearchableStore}, {@link JoiningStore},
 * {@link NotifyingStore}, {@link RoutingStore}, {@link ShutdownAwareStore}.
 */
public interface IdempotencyStore {

	/**
	 * Takes the key, or says what is there.
	 * <p>
	 * A key is granted when nothing is remembered under it, or when its lease is over,
	 * the fingerprint is the same and the terms allow a takeover; the attempt number then
	 * goes up by one and the fingerprint stays. Otherwise the claim is refused with the
	 * record, its result included. Only a completed record of the same fingerprint is
	 * changed by that, as {@link ClaimTerms#onReplay()} says.
	 * @param key the key
	 * @param fingerprint what the operation was asked to do
	 * @param terms for how long, and under which conditions
	 * @return the claim or the record that stands against it
	 */
	ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms);

	/**
	 * Lets the lease run anew from now.
	 * @param claim the claim
	 * @param lease for how long
	 * @return {@code false} if the claim is lost: its key was taken over, completed,
	 * released or forgotten
	 */
	boolean renew(Claim claim, Duration lease);

	/**
	 * Stores the result, which is what every later claim of the key is refused with until
	 * the ttl of its claim is over: that began with the claim, and does not begin anew.
	 * @param claim the claim
	 * @param result the result
	 * @param atLeast for how long the result is remembered even if less is left of the
	 * ttl: a retry must find what has just been done
	 * @return {@code false} if the claim is lost; the result is then not stored
	 * @throws dev.idempotency.ResultTooLargeException if the store cannot hold the
	 * result; the claim is then still held
	 */
	boolean complete(Claim claim, StoredResult result, Duration atLeast);

	/**
	 * Gives the key back: the next claim of it is granted at once. After a first attempt
	 * nothing is remembered; after a takeover the record stays, because whether an
	 * earlier attempt did the work is as unknown as before, and the next one must know
	 * that it is not the first.
	 * @param claim the claim
	 * @return {@code false} if the claim is lost; nothing is changed then
	 */
	boolean release(Claim claim);

}
