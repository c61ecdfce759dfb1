package dev.idempotency.store;

import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
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
	 * One record to look at, with what it remembers.
	 *
	 * @param summary the record as it stands in lists
	 * @param fingerprint what its operation was asked to do
	 * @param result its result as the store keeps it; {@code null} if it is not
	 * completed, or the result cannot be read
	 */
	record Inspection(RecordSummary summary, Fingerprint fingerprint, @Nullable StoredResult result) {

		/**
		 * How far its operation has come, and when.
		 * @return the status
		 */
		public KeyStatus status() {
			return this.summary.status();
		}

	}

}
