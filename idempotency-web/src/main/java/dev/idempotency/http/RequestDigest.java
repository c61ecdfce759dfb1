package dev.idempotency.http;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import dev.idempotency.Fingerprint;
import dev.idempotency.digest.Parts;
import dev.idempotency.digest.Sha256;
import dev.idempotency.json.CanonicalJson;
import tools.jackson.core.JsonPointer;

import org.springframework.http.HttpHeaders;

/**
 * SHA-256 over everything that must not differ between a request and its retry: its head,
 * then its content, each kind of content under its own name.
 */
enum RequestDigest implements RequestFingerprinter {

	/**
	 * Nothing differs.
	 */
	NONE,

	/**
	 * Every byte of the content counts.
	 */
	BYTES,

	/**
	 * JSON counts by its value.
	 */
	CANONICAL_JSON;

	/**
	 * The field of Spring Security's token against forged requests. It differs each time
	 * that a form is rendered, and says nothing about what the form is to do.
	 */
	private static final String CSRF_TOKEN = "_csrf";

	private static final int BLOCK = 8192;

	private static final Pattern UNKNOWN_ESCAPE = Pattern.compile("~(?![01])");

	/**
	 * The size of content that is added as its kind and its digest.
	 */
	private static final int CONTENT = 2 * Integer.BYTES + "bytes".length() + Sha256.BYTES;

	@Override
	public boolean needsContent() {
		return this != NONE;
	}

	@Override
	public Fingerprint fingerprint(RequestFacts request, RequestContent content) throws IOException {
		return (this != NONE) ? digest(request, content, List.of()) : Fingerprint.none();
	}

	@Override
	public RequestFingerprinter excluding(List<String> pointers) {
		if (this != CANONICAL_JSON) {
			throw new IllegalArgumentException("JSON is not compared by its value: idempotency.http.fingerprint is %s"
				.formatted(name().toLowerCase(Locale.ROOT)));
		}
		List<JsonPointer> excluded = pointers.stream().map(RequestDigest::pointer).toList();
		return (request, content) -> digest(request, content, excluded);
	}

	private static JsonPointer pointer(String text) {
		if (text.isEmpty()) {
			throw new IllegalArgumentException("\"\" is the whole body");
		}
		if (!text.startsWith("/") || UNKNOWN_ESCAPE.matcher(text).find()) {
			throw new IllegalArgumentException("\"%s\" is not a JSON pointer".formatted(text));
		}
		return JsonPointer.compile(text);
	}

	private Fingerprint digest(RequestFacts request, RequestContent content, List<JsonPointer> excluded)
			throws IOException {
		String method = request.method();
		String path = request.path();
		String query = request.query();
		ContentType type = ContentType.parse(request.header(HttpHeaders.CONTENT_TYPE));
		int head = Parts.length(method) + Parts.length(path) + Parts.length(query) + Parts.length(type.text());
		Parts parts = new Parts(head + CONTENT).add(method).add(path).add(query).add(type.text());
		if (content instanceof RequestContent.Multipart multipart) {
			for (RequestContent.Part part : multipart.parts()) {
				if (part.fileName() != null || !part.name().equals(CSRF_TOKEN)) {
					add(parts, part);
				}
			}
		}
		else if (content instanceof RequestContent.Form form) {
			add(parts, form);
		}
		else {
			RequestContent.Body body = (RequestContent.Body) content;
			if (this == CANONICAL_JSON && type.json()) {
				CanonicalJson.addTo(parts, body.bytes(), body.length(), excluded);
			}
			else {
				parts.add("bytes").add(body.bytes(), body.length());
			}
		}
		return Fingerprint.ofBytes(parts.digest());
	}

	/**
	 * The order of parameters does not count: each value has the name before it.
	 */
	private static void add(Parts parts, RequestContent.Form form) {
		parts.add("form");
		Map<String, String[]> parameters = new TreeMap<>(form.parameters());
		parameters.remove(CSRF_TOKEN);
		for (Map.Entry<String, String[]> parameter : parameters.entrySet()) {
			if (parameter.getValue().length == 0) {
				parts.add(parameter.getKey()).add((String) null);
			}
			for (String value : parameter.getValue()) {
				parts.add(parameter.getKey()).add(value);
			}
		}
	}

	private static void add(Parts parts, RequestContent.Part part) throws IOException {
		MessageDigest digest = Sha256.newDigest();
		try (InputStream content = part.content().getInputStream()) {
			byte[] block = new byte[BLOCK];
			for (int read = content.read(block); read >= 0; read = content.read(block)) {
				digest.update(block, 0, read);
			}
		}
		parts.add("part")
			.add(part.name())
			.add(part.fileName())
			.add(ContentType.parse(part.contentType()).text())
			.add(digest.digest());
	}

}
