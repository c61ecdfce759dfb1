package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Converts values that scripts return, in the forms of different drivers.
 */
final class ScriptValues {

	private ScriptValues() {
	}

	static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : "";
	}

	static long number(@Nullable Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(text(value));
	}

	static byte[] bytes(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? bytes : new byte[0];
	}

}
