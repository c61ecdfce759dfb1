package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.ContentType;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestDigest;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Hands everything that may not differ between a request and its retry to a digest.
 */
final class Sha256Fingerprinter implements RequestFingerprinter {

	private final boolean canonicalJson;

	Sha256Fingerprinter(boolean canonicalJson) {
		this.canonicalJson = canonicalJson;
	}

	@Override
	public Fingerprint fingerprint(HttpServletRequest request, RequestContent content) throws IOException {
		ContentType type = ContentType.parse(request.getContentType());
		RequestDigest digest = new RequestDigest(request.getMethod(), request.getRequestURI(), request.getQueryString(),
				type.text());
		if (content instanceof RequestContent.Multipart multipart) {
			add(digest, multipart);
		}
		else if (content instanceof RequestContent.Form form) {
			digest.addForm(form.parameters());
		}
		else {
			RequestContent.Body body = (RequestContent.Body) content;
			if (this.canonicalJson && type.json()) {
				digest.addJson(body.bytes(), body.length());
			}
			else {
				digest.addBytes(body.bytes(), body.length());
			}
		}
		return digest.toFingerprint();
	}

	private static void add(RequestDigest digest, RequestContent.Multipart multipart) throws IOException {
		for (RequestContent.Part part : multipart.parts()) {
			try (InputStream in = part.content().getInputStream()) {
				digest.addPart(part.name(), part.fileName(),
						ContentType.parse(part.contentType()).text(), in);
			}
		}
	}

}
