package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

/**
 * The source of the keys of an operation.
 */
public interface KeySource {

	/**
	 * Finds the key of a request.
	 * @throws IdempotencyKeyMissingException if there is none
	 * @throws IdempotencyKeyInvalidException if the key cannot be used
	 */
	String resolve(ProtectedRequest request);

	/**
	 * Finds the key of a request that may have none.
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if the key cannot be used
	 */
	default @Nullable String resolveIfPresent(ProtectedRequest request) {
		try {
			return resolve(request);
		}
		catch (IdempotencyKeyMissingException ex) {
			return null;
		}
	}

	/**
	 * Describes the source for operators.
	 */
	String description();

	/**
	 * The headers that the key is made of.
	 */
	List<KeyField> headers();

	/**
	 * Whether a request can have no key.
	 */
	default boolean mayBeMissing() {
		return true;
	}

	/**
	 * Whether the key is made of the whole request.
	 */
	default boolean isDerived() {
		return false;
	}

	/**
	 * How a request tells when its key was first sent.
	 * @return how, or {@code null} if its key may be of any age
	 */
	default @Nullable KeyTime time() {
		return null;
	}

	/**
	 * Whether the key may be made of more than the head of a request.
	 */
	default boolean needsContent() {
		return false;
	}

}
