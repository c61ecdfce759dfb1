package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * What things are called under one prefix.
 */
final class Names {

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
	 * What the names of records match whose digest begins with some digits.
	 */
	byte[] pattern(String digits) {
		String escaped = this.prefix.replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0");
		return utf8(escaped + digits + "?".repeat(RecordId.LENGTH - digits.length()));
	}

	/**
	 * The record that has a name.
	 */
	RecordId id(String name) {
		return new RecordId(name.substring(this.prefix.length()));
	}

	/**
	 * A name that is no record's, one of many, to reach some server of a cluster by.
	 */
	byte[] anchor(int number) {
		return utf8(this.prefix + "anchor:" + number);
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
		KeyDescription parts = KeyDescription.of(key);
		List<byte[]> description = new ArrayList<>();
		describe(description, "namespace", parts.namespace());
		describe(description, "operation", parts.operation());
		describe(description, "principal", parts.principal());
		describe(description, "tenant", parts.tenant());
		describe(description, "key", parts.key());
		return description;
	}

	private static void describe(List<byte[]> description, String name, @Nullable String value) {
		if (value != null) {
			description.add(utf8(name));
			description.add(utf8(value));
		}
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
