package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

/**
 * Where the key of an operation comes from.
 */
public interface KeySource {

	/**
	 * Finds the key of a request.
	 * @param facts what is known of the request
	 * @throws IdempotencyKeyMissingException if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
	 */
	String resolve(RequestFacts facts);

	/**
	 * Finds the key of a request that may come without.
	 * @param facts what is known of the request
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
	 */
	default @Nullable String resolveIfPresent(RequestFacts facts) {
		try {
			return resolve(facts);
		}
		catch (IdempotencyKeyMissingException ex) {
			return null;
		}
	}

	/**
	 * Where that is, for people.
	 * @return a few words
	 */
	String description();

	/**
	 * The headers that it is made of.
	 */
	List<KeyField> headers();

	/**
	 * Whether a request can come without.
	 */
	default boolean mayBeMissing() {
		return true;
	}

	/**
	 * Whether it is made of the whole request.
	 */
	default boolean isDerived() {
		return false;
	}

	/**
	 * Whether it may be made of more than the head of a request.
	 */
	default boolean needsContent() {
		return false;
	}

}
