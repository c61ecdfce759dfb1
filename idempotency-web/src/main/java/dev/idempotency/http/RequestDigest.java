package dev.idempotency.http;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.Fingerprint;
import dev.idempotency.digest.Parts;
import dev.idempotency.digest.Sha256;
import dev.idempotency.json.CanonicalJson;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over everything that may not differ between a request and its retry: its head,
 * then its content, each kind of content under its own name.
 */
public final class RequestDigest {

	private static final int BLOCK = 8192;

	private final Parts parts = new Parts();

	private final ContentType type;

	/**
	 * Begins with the head of a request.
	 * @param method the method
	 * @param path the path, as it was sent
	 * @param query the query, as it was sent
	 * @param contentType the type of the content, as it was sent
	 */
	public RequestDigest(String method, String path, @Nullable String query, @Nullable String contentType) {
		this.type = ContentType.parse(contentType);
		this.parts.add(method).add(path).add(query).add(this.type.text());
	}

	/**
	 * The digest of a request with its content.
	 * @param content the content
	 * @param canonicalJson whether JSON is compared by its value
	 * @return the fingerprint
	 * @throws IOException if the content cannot be read
	 */
	public Fingerprint with(RequestContent content, boolean canonicalJson) throws IOException {
		if (content instanceof RequestContent.Multipart multipart) {
			for (RequestContent.Part part : multipart.parts()) {
				add(part);
			}
		}
		else if (content instanceof RequestContent.Form form) {
			add(form);
		}
		else {
			RequestContent.Body body = (RequestContent.Body) content;
			if (canonicalJson && this.type.json()) {
				CanonicalJson.addTo(this.parts, body.bytes(), body.length());
			}
			else {
				this.parts.add("bytes").add(body.bytes(), body.length());
			}
		}
		return Fingerprint.ofBytes(this.parts.digest());
	}

	/**
	 * The order of parameters does not count: each value has the name before it.
	 */
	private void add(RequestContent.Form form) {
		this.parts.add("form");
		for (Map.Entry<String, String[]> parameter : new TreeMap<>(form.parameters()).entrySet()) {
			if (parameter.getValue().length == 0) {
				this.parts.add(parameter.getKey()).add((String) null);
			}
			for (String value : parameter.getValue()) {
				this.parts.add(parameter.getKey()).add(value);
			}
		}
	}

	private void add(RequestContent.Part part) throws IOException {
		MessageDigest digest = Sha256.newDigest();
		try (InputStream content = part.content().getInputStream()) {
			byte[] block = new byte[BLOCK];
			for (int read = content.read(block); read >= 0; read = content.read(block)) {
				digest.update(block, 0, read);
			}
		}
		this.parts.add("part")
			.add(part.name())
			.add(part.fileName())
			.add(ContentType.parse(part.contentType()).text())
			.add(digest.digest());
	}

}
