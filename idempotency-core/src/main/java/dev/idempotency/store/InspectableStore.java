package dev.idempotency.store;

import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import org.jspecify.annotations.Nullable;

/**
 * A store whose records can be read without a claim.
 */
public interface InspectableStore extends IdempotencyStore {

	/**
	 * Reads the record of a key.
	 * @return the record, if there is one
	 */
	Optional<Inspection> find(IdempotencyKey key);

	/**
	 * Forgets a key in any state; the next claim is attempt 1. An execution that is still
	 * running loses its claim.
	 * @return whether there was anything to forget
	 */
	boolean forget(IdempotencyKey key);

	/**
	 * Forgets a key that a claim holds: the next claim is attempt 1, also after a
	 * takeover, where {@link #release} would keep the record.
	 * @return {@code false} if the claim is lost; nothing is changed then
	 */
	boolean forget(Claim claim);

	/**
	 * A record with its fingerprint and its result.
	 *
	 * @param summary the record as it stands in lists
	 * @param fingerprint the fingerprint of the first claim
	 * @param result its result as it is stored; {@code null} if it is not completed, or
	 * the result cannot be read
	 */
	record Inspection(RecordSummary summary, Fingerprint fingerprint, @Nullable StoredResult result) {

		/**
		 * The status of its key.
		 */
		public KeyStatus status() {
			return this.summary.status();
		}

	}

}
