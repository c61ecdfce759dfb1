package dev.idempotency.http;

import java.io.IOException;
import java.util.List;

import dev.idempotency.Fingerprint;

/**
 * Computes fingerprints, which tell whether two requests are the same. On WebFlux it must
 * not block.
 */
public interface RequestFingerprinter {

	/**
	 * Computes the fingerprint of a request.
	 * @param content the content of the request
	 * @throws IOException if the content cannot be read
	 */
	Fingerprint fingerprint(RequestFacts request, RequestContent content) throws IOException;

	/**
	 * Whether the content of a request is part of its fingerprint. If not,
	 * {@link #fingerprint} gets an empty one, and Spring MVC reads the content ahead of
	 * the handler only if its length is not known.
	 * @return whether the content is part of the fingerprint
	 */
	default boolean needsContent() {
		return true;
	}

	/**
	 * This fingerprinter, but without some parts of JSON bodies.
	 * @param pointers JSON pointers (RFC 6901) to these parts
	 * @throws IllegalArgumentException if that is not possible, with the reason
	 */
	default RequestFingerprinter excluding(List<String> pointers) {
		throw new IllegalArgumentException("the application's RequestFingerprinter does not leave parts of JSON out");
	}

	/**
	 * Compares nothing: the key alone tells requests apart.
	 */
	static RequestFingerprinter none() {
		return RequestDigest.NONE;
	}

	/**
	 * Compares method, path, query, content type and every byte of the body.
	 */
	static RequestFingerprinter bytes() {
		return RequestDigest.BYTES;
	}

	/**
	 * Compares method, path, query, content type and body. JSON is compared by its value:
	 * the order of members, white space, escapes and the notation of numbers make no
	 * difference.
	 */
	static RequestFingerprinter canonicalJson() {
		return RequestDigest.CANONICAL_JSON;
	}

}
