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
 * then its content, each kind of content under its own name. An edge hands it over, and
 * asks for the fingerprint at the end.
 */
public final class RequestDigest {

	private static final int BLOCK = 8192;

	private final Parts parts = new Parts();

	/**
	 * Begins with the head of a request.
	 * @param method the method
	 * @param path the path, as it was sent
	 * @param query the query, as it was sent
	 * @param contentType the type of the content, in the form that all equivalent ones
	 * share
	 */
	public RequestDigest(String method, String path, @Nullable String query, @Nullable String contentType) {
		this.parts.add(method).add(path).add(query).add(contentType);
	}

	/**
	 * Adds a body of which each byte counts.
	 * @param body holds the body
	 * @param length how many bytes it has
	 * @return this
	 */
	public RequestDigest addBytes(byte[] body, int length) {
		this.parts.add("bytes").add(body, length);
		return this;
	}

	/**
	 * Adds a body that is said to be JSON: by its value if it is, or else by its bytes.
	 * @param body holds the body
	 * @param length how many bytes it has
	 * @return this
	 */
	public RequestDigest addJson(byte[] body, int length) {
		CanonicalJson.addTo(this.parts, body, length);
		return this;
	}

	/**
	 * Adds a form, whatever the order of its parameters: each value with the name before
	 * it.
	 * @param parameters the parameters
	 * @return this
	 */
	public RequestDigest addForm(Map<String, String[]> parameters) {
		this.parts.add("form");
		for (Map.Entry<String, String[]> parameter : new TreeMap<>(parameters).entrySet()) {
			if (parameter.getValue().length == 0) {
				this.parts.add(parameter.getKey()).add((String) null);
			}
			for (String value : parameter.getValue()) {
				this.parts.add(parameter.getKey()).add(value);
			}
		}
		return this;
	}

	/**
	 * Adds one part of several, in the order that they were sent in.
	 * @param name its name
	 * @param fileName the name of its file
	 * @param contentType the type of its content, in the form that all equivalent ones
	 * share
	 * @param content its content, which is read to its end
	 * @return this
	 * @throws IOException if the content cannot be read
	 */
	public RequestDigest addPart(@Nullable String name, @Nullable String fileName, @Nullable String contentType,
			InputStream content) throws IOException {
		MessageDigest digest = Sha256.newDigest();
		byte[] block = new byte[BLOCK];
		for (int read = content.read(block); read >= 0; read = content.read(block)) {
			digest.update(block, 0, read);
		}
		this.parts.add("part").add(name).add(fileName).add(contentType).add(digest.digest());
		return this;
	}

	/**
	 * The digest of all that was added.
	 * @return the fingerprint
	 */
	public Fingerprint toFingerprint() {
		return Fingerprint.ofBytes(this.parts.digest());
	}

}
