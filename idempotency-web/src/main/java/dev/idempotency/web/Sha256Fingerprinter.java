package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.ContentType;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over everything that may not differ between a request and its retry. Each piece
 * goes in with its length before it, and each kind of content under its own name, so that
 * no two requests meet by the way they are cut.
 */
final class Sha256Fingerprinter implements RequestFingerprinter {

	private static final int BLOCK = 8192;

	private final boolean canonicalJson;

	Sha256Fingerprinter(boolean canonicalJson) {
		this.canonicalJson = canonicalJson;
	}

	@Override
	public Fingerprint fingerprint(HttpServletRequest request, RequestContent content) throws IOException {
		Pieces pieces = new Pieces();
		pieces.add(request.getMethod());
		pieces.add(request.getRequestURI());
		pieces.add(request.getQueryString());
		ContentType type = ContentType.parse(request.getContentType());
		pieces.add(type.text());
		if (content instanceof RequestContent.Multipart multipart) {
			add(pieces, multipart);
		}
		else if (content instanceof RequestContent.Form form) {
			add(pieces, form);
		}
		else {
			add(pieces, (RequestContent.Body) content, type.json());
		}
		return Fingerprint.ofBytes(pieces.digest());
	}

	private void add(Pieces pieces, RequestContent.Body body, boolean json) {
		byte[] canonical = (this.canonicalJson && json && body.length() > 0)
				? CanonicalJson.digest(body.bytes(), body.length(), pieces.unusedDigest()) : null;
		if (canonical != null) {
			pieces.add("json");
			pieces.add(canonical, canonical.length);
		}
		else {
			pieces.add("bytes");
			pieces.add(body.bytes(), body.length());
		}
	}

	private static void add(Pieces pieces, RequestContent.Form form) {
		pieces.add("form");
		for (Map.Entry<String, String[]> parameter : new TreeMap<>(form.parameters()).entrySet()) {
			pieces.add(parameter.getKey());
			pieces.add(parameter.getValue().length);
			Arrays.stream(parameter.getValue()).forEach(pieces::add);
		}
	}

	private static void add(Pieces pieces, RequestContent.Multipart multipart) throws IOException {
		pieces.add("multipart");
		for (RequestContent.Part part : multipart.parts()) {
			pieces.add(part.name());
			pieces.add(part.fileName());
			pieces.add(ContentType.parse(part.contentType()).text());
			MessageDigest content = Sha256.newDigest();
			try (InputStream in = part.content().getInputStream()) {
				byte[] block = new byte[BLOCK];
				for (int read = in.read(block); read >= 0; read = in.read(block)) {
					content.update(block, 0, read);
				}
			}
			byte[] digest = content.digest();
			pieces.add(digest, digest.length);
		}
	}

	/**
	 * What goes into the digest, gathered first: many short updates cost more than the
	 * digest does.
	 */
	private static final class Pieces {

		private static final int GATHERED = 128;

		private final MessageDigest digest = Sha256.newDigest();

		private final byte[] gathered = new byte[GATHERED];

		private int size;

		private boolean begun;

		/**
		 * A digest for something else, which is over before more is added here.
		 */
		private MessageDigest unusedDigest() {
			return this.begun ? Sha256.newDigest() : this.digest;
		}

		private void add(@Nullable String text) {
			if (text == null) {
				// Absent is not the same as empty
				add(-1);
			}
			else if (!addShortAscii(text)) {
				byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
				add(bytes.length);
				add(bytes, bytes.length);
			}
		}

		/**
		 * Adds a text whose characters are its bytes, as most are, without a copy.
		 */
		private boolean addShortAscii(String text) {
			int length = text.length();
			if (length > GATHERED - Integer.BYTES) {
				return false;
			}
			makeRoom(Integer.BYTES + length);
			int start = this.size + Integer.BYTES;
			for (int i = 0; i < length; i++) {
				char character = text.charAt(i);
				if (character > Byte.MAX_VALUE) {
					return false;
				}
				this.gathered[start + i] = (byte) character;
			}
			add(length);
			this.size += length;
			return true;
		}

		private void add(int number) {
			makeRoom(Integer.BYTES);
			for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
				this.gathered[this.size++] = (byte) (number >>> shift);
			}
		}

		private void add(byte[] bytes, int length) {
			makeRoom(length);
			if (length <= GATHERED) {
				System.arraycopy(bytes, 0, this.gathered, this.size, length);
				this.size += length;
			}
			else {
				update(bytes, length);
			}
		}

		/**
		 * Makes as much room as is asked for, or all there is.
		 */
		private void makeRoom(int bytes) {
			if (bytes > GATHERED - this.size) {
				update(this.gathered, this.size);
				this.size = 0;
			}
		}

		private void update(byte[] bytes, int length) {
			this.digest.update(bytes, 0, length);
			this.begun = true;
		}

		private byte[] digest() {
			update(this.gathered, this.size);
			return this.digest.digest();
		}

	}

}
