package dev.idempotency.store;

import java.time.Instant;
import java.util.Optional;

import dev.idempotency.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * A store that can be looked into without claiming anything.
 */
public interface InspectableStore extends IdempotencyStore {

	/**
	 * Says what is remembered under a key.
	 * @param key the key
	 * @return what is there, if anything
	 */
	Optional<Inspection> find(IdempotencyKey key);

	/**
	 * Forgets a key in whatever state it is; the next claim of it is a first one. An
	 * executor that still runs loses its claim.
	 * @param key the key
	 * @return whether there was anything to forget
	 */
	boolean forget(IdempotencyKey key);

	/**
	 * Forgets a key that a claim holds: the next claim of it is a first one, also after a
	 * takeover, where {@link #release} would keep the record.
	 * @param claim the claim
	 * @return {@code false} if the claim is lost; nothing is changed then
	 */
	boolean forget(Claim claim);

	/**
	 * A record with its dates, which are the store's and for people to read.
	 *
	 * @param record the record
	 * @param created when the key was first claimed
	 * @param completed when it was completed, or {@code null} if it is in progress
	 * @param expires when it will be forgotten
	 */
	record Inspection(IdempotencyRecord record, Instant created, @Nullable Instant completed, Instant expires) {
	}

}
