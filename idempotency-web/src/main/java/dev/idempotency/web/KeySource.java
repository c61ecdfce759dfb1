package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.web.ClientContract.KeyField;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Where the key of an operation comes from.
 */
interface KeySource {

	/**
	 * Finds the key of a request.
	 * @throws IdempotencyKeyMissingException if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
	 */
	String resolve(Facts facts);

	/**
	 * Where that is, for people.
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
	 * What is known of a request. What has to be read for it is read when it is asked
	 * for.
	 */
	interface Facts {

		HttpServletRequest request();

		IdempotencyScope scope();

		RequestContent content();

		Fingerprint fingerprint();

	}

}
