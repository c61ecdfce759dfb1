package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Computes fingerprints, which tell whether two requests are the same.
 */
public interface RequestFingerprinter {

	/**
	 * Computes the fingerprint of a request.
	 * @param request the request
	 * @param content the content of the request
	 * @return the fingerprint
	 * @throws IOException if the content cannot be read
	 */
	Fingerprint fingerprint(HttpServletRequest request, RequestContent content) throws IOException;

	/**
	 * Whether the content of a request is part of its fingerprint. If not, the content is
	 * read ahead of the handler only if its length is not known, and {@link #fingerprint}
	 * gets an empty one.
	 * @return whether the content is part of the fingerprint
	 */
	default boolean needsContent() {
		return true;
	}

	/**
	 * Compares nothing: the key alone tells requests apart.
	 * @return the fingerprinter
	 */
	static RequestFingerprinter none() {
		return new NoFingerprinter();
	}

	/**
	 * Compares method, path, query, content type and every byte of the body.
	 * @return the fingerprinter
	 */
	static RequestFingerprinter bytes() {
		return new Sha256Fingerprinter(false);
	}

	/**
	 * Compares method, path, query, content type and body. JSON is compared by its value:
	 * the order of members, white space, escapes and the notation of numbers make no
	 * difference.
	 * @return the fingerprinter
	 */
	static RequestFingerprinter canonicalJson() {
		return new Sha256Fingerprinter(true);
	}

}
