package dev.idempotency.web;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyScope;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Where the key of an operation comes from.
 */
@FunctionalInterface
interface KeySource {

	/**
	 * Finds the key of a request.
	 * @throws IdempotencyKeyMissingException if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
	 */
	String resolve(Facts facts);

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
