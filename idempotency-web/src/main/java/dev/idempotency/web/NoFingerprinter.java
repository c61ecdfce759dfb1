package dev.idempotency.web;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;

/**
 * A fingerprinter that compares nothing.
 */
final class NoFingerprinter implements RequestFingerprinter {

	@Override
	public Fingerprint fingerprint(HttpServletRequest request, RequestContent content) {
		return Fingerprint.none();
	}

	@Override
	public boolean needsContent() {
		return false;
	}

}
