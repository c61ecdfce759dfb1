package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.Fingerprint;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

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
		MessageDigest digest = Sha256.newDigest();
		update(digest, request.getMethod());
		update(digest, request.getRequestURI());
		update(digest, request.getQueryString());
		MediaType type = mediaType(request.getContentType());
		update(digest, (type != null) ? normalized(type) : request.getContentType());
		if (content instanceof RequestContent.Multipart multipart) {
			update(digest, multipart);
		}
		else if (content instanceof RequestContent.Form form) {
			update(digest, form);
		}
		else {
			update(digest, (RequestContent.Body) content, type);
		}
		return Fingerprint.ofBytes(digest.digest());
	}

	private void update(MessageDigest digest, RequestContent.Body body, @Nullable MediaType type) {
		byte[] canonical = (this.canonicalJson && body.length() > 0 && isJson(type))
				? CanonicalJson.digest(body.bytes(), body.length()) : null;
		if (canonical != null) {
			update(digest, "json");
			digest.update(canonical);
		}
		else {
			update(digest, "bytes");
			digest.update(body.bytes(), 0, body.length());
		}
	}

	private static void update(MessageDigest digest, RequestContent.Form form) {
		update(digest, "form");
		for (Map.Entry<String, String[]> parameter : new TreeMap<>(form.parameters()).entrySet()) {
			update(digest, parameter.getKey());
			updateLength(digest, parameter.getValue().length);
			Arrays.stream(parameter.getValue()).forEach((value) -> update(digest, value));
		}
	}

	private static void update(MessageDigest digest, RequestContent.Multipart multipart) throws IOException {
		update(digest, "multipart");
		for (Part part : multipart.parts()) {
			update(digest, part.getName());
			update(digest, part.getSubmittedFileName());
			MessageDigest content = Sha256.newDigest();
			try (InputStream in = part.getInputStream()) {
				byte[] block = new byte[BLOCK];
				for (int read = in.read(block); read >= 0; read = in.read(block)) {
					content.update(block, 0, read);
				}
			}
			digest.update(content.digest());
		}
	}

	private static @Nullable MediaType mediaType(@Nullable String contentType) {
		try {
			return (contentType != null) ? MediaType.parseMediaType(contentType) : null;
		}
		catch (InvalidMediaTypeException ex) {
			return null;
		}
	}

	/**
	 * The same type has the same text. The boundary of a multipart body says nothing, and
	 * is another one each time.
	 */
	private static String normalized(MediaType type) {
		if (type.getParameters().isEmpty()) {
			return (type.getType() + '/' + type.getSubtype()).toLowerCase(Locale.ROOT);
		}
		StringBuilder text = new StringBuilder(type.getType()).append('/').append(type.getSubtype());
		new TreeMap<>(type.getParameters()).forEach((name, value) -> {
			if (!name.equalsIgnoreCase("boundary")) {
				text.append(';').append(name).append('=').append(value);
			}
		});
		return text.toString().toLowerCase(Locale.ROOT);
	}

	private static boolean isJson(@Nullable MediaType type) {
		return type != null && (type.getSubtype().equalsIgnoreCase("json")
				|| type.getSubtype().toLowerCase(Locale.ROOT).endsWith("+json"));
	}

	private static void update(MessageDigest digest, @Nullable String text) {
		// Absent is not the same as empty
		byte[] bytes = (text != null) ? text.getBytes(StandardCharsets.UTF_8) : null;
		updateLength(digest, (bytes != null) ? bytes.length : -1);
		if (bytes != null) {
			digest.update(bytes);
		}
	}

	private static void updateLength(MessageDigest digest, int length) {
		for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
			digest.update((byte) (length >>> shift));
		}
	}

}
