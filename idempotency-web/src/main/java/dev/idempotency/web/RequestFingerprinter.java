package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Says what makes two requests the same.
 */
public interface RequestFingerprinter {

	/**
	 * Computes the fingerprint of a request.
	 * @param request the request
	 * @param content what it brings along
	 * @return the fingerprint
	 * @throws IOException if the content cannot be read
	 */
	Fingerprint fingerprint(HttpServletRequest request, RequestContent content) throws IOException;

	/**
	 * Whether the content of a request counts. If not, it is read ahead of the handler
	 * only where its length is not known, and {@link #fingerprint} gets an empty one.
	 * @return whether the content counts
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
	 * Compares method, path, query, content type and body, of JSON its value: neither the
	 * order of members, nor white space, nor escapes, nor how a number is written make a
	 * difference.
	 * @return the fingerprinter
	 */
	static RequestFingerprinter canonicalJson() {
		return new Sha256Fingerprinter(true);
	}

}
