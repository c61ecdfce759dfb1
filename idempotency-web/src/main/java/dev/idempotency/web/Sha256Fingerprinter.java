package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestDigest;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Computes a digest of everything that must be the same in a request and its retry.
 *
 * @param canonicalJson whether JSON is compared by its value
 */
record Sha256Fingerprinter(boolean canonicalJson) implements RequestFingerprinter {

	@Override
	public Fingerprint fingerprint(HttpServletRequest request, RequestContent content) throws IOException {
		return RequestDigest.of(request.getMethod(), request.getRequestURI(), request.getQueryString(),
				request.getContentType(), content, this.canonicalJson);
	}

}
