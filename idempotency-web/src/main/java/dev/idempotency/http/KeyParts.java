package dev.idempotency.http;

import java.util.HexFormat;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.digest.Parts;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.filter.FilteringParserDelegate;
import tools.jackson.core.filter.JsonPointerBasedFilter;
import tools.jackson.core.filter.TokenFilter.Inclusion;
import tools.jackson.core.json.JsonFactory;

/**
 * The parts of a request that a key can be made of. Each must be present: requests that
 * have nothing in common would share an incomplete key.
 */
final class KeyParts {

	/**
	 * Refuses duplicate names: the handler might read the other value.
	 */
	private static final JsonFactory JSON = JsonFactory.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.build();

	private final ProtectedRequest request;

	private final RequestFacts facts;

	KeyParts(ProtectedRequest request) {
		this.request = request;
		this.facts = request.facts();
	}

	/**
	 * The value of a header that was sent once.
	 */
	public String header(String name) {
		return only(this.facts.headers(name), "The %s header".formatted(name)).strip();
	}

	/**
	 * The value of a parameter of the query, or of a form.
	 */
	public String query(String name) {
		return only(this.facts.parameters(name), "The parameter %s".formatted(name));
	}

	private static String only(List<String> values, String what) {
		if (values.isEmpty() || values.get(0).isBlank()) {
			throw new IdempotencyKeyMissingException("%s, which is part of the key, is missing.".formatted(what));
		}
		if (values.size() > 1) {
			throw new IdempotencyKeyInvalidException(
					"%s, which is part of the key, was sent more than once.".formatted(what));
		}
		return values.get(0);
	}

	/**
	 * The value of a variable of the route.
	 */
	public String path(String name) {
		String value = this.facts.pathVariable(name);
		if (value == null) {
			throw new IllegalStateException("The route has no variable %s".formatted(name));
		}
		return value;
	}

	/**
	 * The value at a pointer in a JSON body: a string, a number as written, or a boolean.
	 */
	public String body(String pointer) {
		if (!(this.facts.content() instanceof RequestContent.Body body) || body.length() == 0) {
			throw missingInBody(pointer);
		}
		try (JsonParser whole = JSON.createParser(ObjectReadContext.empty(), body.bytes(), 0, body.length());
				JsonParser parser = new FilteringParserDelegate(whole,
						new JsonPointerBasedFilter(JsonPointer.compile(pointer)), Inclusion.ONLY_INCLUDE_ALL, false)) {
			JsonToken token = parser.nextToken();
			if (token == null || token == JsonToken.VALUE_NULL) {
				throw missingInBody(pointer);
			}
			if (!token.isScalarValue()) {
				throw new IdempotencyKeyInvalidException(
						"The value at %s in the body is part of the key, but is neither a string nor a number."
							.formatted(pointer));
			}
			String value = parser.getString();
			if (value.isBlank()) {
				throw missingInBody(pointer);
			}
			while (whole.nextToken() != null) {
				// To the end, to find duplicate names
			}
			return value;
		}
		catch (JacksonException ex) {
			throw new IdempotencyKeyInvalidException(
					"The value at %s in the body is part of the key, but the body is not valid JSON."
						.formatted(pointer));
		}
	}

	private static IdempotencyKeyMissingException missingInBody(String pointer) {
		return new IdempotencyKeyMissingException(
				"The value at %s in the JSON body, which is part of the key, is missing.".formatted(pointer));
	}

	/**
	 * Joins several parts. No other parts have the same result.
	 */
	public String join(String... parts) {
		return IdempotencyKeys.join(parts);
	}

	/**
	 * A key made of the caller and the request itself. The scope names the caller, or
	 * else the session does. Without either, callers cannot be told apart.
	 */
	public String derived() {
		Fingerprint fingerprint = this.request.fingerprint();
		if (fingerprint.equals(Fingerprint.none())) {
			throw new IllegalStateException("derived() needs a fingerprint: without one, all requests are the same");
		}
		String content = HexFormat.of().formatHex(fingerprint.toBytes());
		IdempotencyScope scope = this.request.scope();
		if (scope.principal() != null || scope.tenant() != null) {
			return content;
		}
		String session = this.facts.sessionId();
		if (session == null) {
			throw new IdempotencyKeyMissingException(
					"The key of this operation is derived from the caller: log in, or begin a session.");
		}
		// The id of a session grants access, and keys are readable in the store
		return HexFormat.of().formatHex(new Parts().add(content).add(session).digest());
	}

}
