package dev.idempotency.ai;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.call.ToolOperations;
import dev.idempotency.json.CanonicalJson;

/**
 * The identity of a call of a tool.
 *
 * @param session the session of the call
 * @param arguments a digest of its arguments
 */
record ToolCallKey(String session, String arguments) {

	static ToolCallKey of(String session, String input) {
		return new ToolCallKey(session, digest(input.isBlank() ? "{}" : input));
	}

	/**
	 * The session is a part of the scope, whose parts cannot be mistaken for one another.
	 */
	IdempotencyKey toIdempotencyKey(String tool) {
		return new IdempotencyKey(new IdempotencyScope("", ToolOperations.of(tool), nameable(this.session), null),
				this.arguments);
	}

	private static String digest(String input) {
		byte[] json = CanonicalJson.digest(input);
		// Input that is not JSON, or too deep, is compared as text
		return (json != null) ? "json_" + HexFormat.of().formatHex(json) : "text_" + sha256(input);
	}

	private static String nameable(String session) {
		boolean wellFormed = StandardCharsets.UTF_8.newEncoder().canEncode(session);
		return (wellFormed && session.length() <= IdempotencyScope.MAX_PART_LENGTH) ? session
				: "session #" + sha256(session);
	}

	/**
	 * Over UTF-16, since models also produce text that cannot be encoded in UTF-8.
	 */
	static String sha256(String text) {
		return HexFormat.of().formatHex(Fingerprint.sha256(text.getBytes(StandardCharsets.UTF_16BE)).toBytes());
	}

}
