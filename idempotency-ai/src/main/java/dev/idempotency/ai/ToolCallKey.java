package dev.idempotency.ai;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.call.ToolOperations;
import dev.idempotency.json.CanonicalJson;

/**
 * What tells two calls of a tool apart.
 *
 * @param session whose call it is
 * @param arguments a digest of what it is called with
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
		// What cannot be understood, or is too deep, is compared letter by letter
		return (json != null) ? "json_" + HexFormat.of().formatHex(json) : "text_" + sha256(input);
	}

	private static String nameable(String session) {
		boolean wellFormed = StandardCharsets.UTF_8.newEncoder().canEncode(session);
		return (wellFormed && session.length() <= IdempotencyScope.MAX_PART_LENGTH) ? session
				: "session #" + sha256(session);
	}

	/**
	 * Over UTF-16, since models also make what is no UTF-8.
	 */
	static String sha256(String text) {
		return HexFormat.of().formatHex(Fingerprint.sha256(text.getBytes(StandardCharsets.UTF_16BE)).toBytes());
	}

}
