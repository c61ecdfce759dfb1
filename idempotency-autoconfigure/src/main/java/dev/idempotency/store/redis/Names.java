package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * What things are called under one prefix.
 */
final class Names {

	/**
	 * How much of a text people get to read: enough to find a key by, whatever clients
	 * send.
	 */
	private static final int READABLE = 255;

	private final String prefix;

	Names(String prefix) {
		this.prefix = prefix;
	}

	String prefix() {
		return this.prefix;
	}

	static String digest(IdempotencyKey key) {
		return HexFormat.of().formatHex(key.digest());
	}

	byte[] record(String digest) {
		return utf8(this.prefix + digest);
	}

	/**
	 * The channel on which the digests of keys are published that came to an end.
	 */
	byte[] channel() {
		return utf8(this.prefix + "ended");
	}

	/**
	 * A record that is no key's, to try things with.
	 */
	byte[] check() {
		return utf8(this.prefix + "check");
	}

	/**
	 * What a record tells people about its key: names, each with its value after it.
	 */
	static List<byte[]> description(IdempotencyKey key) {
		IdempotencyScope scope = key.scope();
		List<byte[]> description = new ArrayList<>();
		describe(description, "namespace", scope.namespace());
		describe(description, "operation", scope.operation());
		describe(description, "principal", scope.principal());
		describe(description, "tenant", scope.tenant());
		describe(description, "key", key.value());
		return description;
	}

	private static void describe(List<byte[]> description, String name, @Nullable String value) {
		if (value == null) {
			return;
		}
		description.add(utf8(name));
		description.add(utf8(readable(value)));
	}

	private static String readable(String text) {
		if (text.length() <= READABLE) {
			return text;
		}
		boolean splitsPair = Character.isHighSurrogate(text.charAt(READABLE - 1));
		return text.substring(0, splitsPair ? READABLE - 1 : READABLE);
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
