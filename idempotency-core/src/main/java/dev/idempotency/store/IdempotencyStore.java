package dev.idempotency.store;

import java.time.Duration;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;

/**
 * Stores the owner of each key and the result of its operation.
 * <p>
 * Each verb is one atomic round trip. Every write after the claim is conditional on the
 * claim's owner: an execution that stalled past its lease can neither overwrite nor
 * release the key of its successor. Only durations cross this interface: the store's own
 * clock decides what has expired. A store that cannot be reached throws the exception of
 * its driver.
 * <p>
 * Stores implement further interfaces for optional capabilities: {@link PurgeableStore},
 * {@link InspectableStore}, {@link SearchableStore}, {@link JoiningStore},
 * {@link NotifyingStore}, {@link RoutingStore}, {@link BatchRenewingStore},
 * {@link ShutdownAwareStore}.
 */
public interface IdempotencyStore {

	/**
	 * Claims a key, or returns its record.
	 * <p>
	 * The claim is granted if the key has no record. It is also granted if the lease has
	 * expired, the fingerprint is the same and the terms allow a takeover, which adds one
	 * to the attempt number. Otherwise the claim is refused with the record, its result
	 * included. A refusal changes only a completed record of the same fingerprint, as
	 * {@link ClaimTerms#onReplay()} says.
	 * @param fingerprint the fingerprint of the request
	 * @param terms for how long, and under which conditions
	 * @return the claim, or the record that prevents it
	 */
	ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms);

	/**
	 * Starts the lease again.
	 * @param lease how long the lease is, from now on
	 * @return {@code false} if the claim is lost: its key was taken over, completed,
	 * released or forgotten
	 */
	boolean renew(Claim claim, Duration lease);

	/**
	 * Stores the result. Every later claim of the key is refused with it until the ttl of
	 * the claim expires. The ttl counts from the claim, and completion does not restart
	 * it.
	 * @param atLeast how long the result is kept even if less is left of the ttl, so that
	 * a retry finds it
	 * @return {@code false} if the claim is lost; the result is then not stored
	 * @throws dev.idempotency.ResultTooLargeException if the store cannot hold the
	 * result; the claim is then still held
	 */
	boolean complete(Claim claim, StoredResult result, Duration atLeast);

	/**
	 * Releases the key: the next claim is granted immediately. After attempt 1 the record
	 * is removed. After a takeover the record stays with an expired lease, because
	 * whether an earlier attempt did the work is still unknown, and the next attempt must
	 * know that.
	 * @return {@code false} if the claim is lost; nothing is changed then
	 */
	boolean release(Claim claim);

	/**
	 * Ends the lease at once, because it is unknown whether the operation did its work.
	 * The record stays, whichever attempt it is: the next claim that may take it over is
	 * granted immediately, and knows. The record
	 * {@linkplain dev.idempotency.RecordState#REPORTED_UNKNOWN tells} this from a crash.
	 * @return {@code false} if the claim is lost; nothing is changed then
	 */
	boolean abandon(Claim claim);

}
