package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.RecordId;

/**
 * What things are called under one prefix.
 */
final class Names {

	private static final byte[] DIGITS = utf8("0123456789abcdef");

	private final String prefix;

	private final byte[] prefixBytes;

	private final byte[] channel;

	Names(String prefix) {
		this.prefix = prefix;
		this.prefixBytes = utf8(prefix);
		this.channel = utf8(prefix + "ended");
	}

	String prefix() {
		return this.prefix;
	}

	static String digest(IdempotencyKey key) {
		return HexFormat.of().formatHex(key.digest());
	}

	byte[] record(IdempotencyKey key) {
		byte[] digest = key.digest();
		byte[] name = Arrays.copyOf(this.prefixBytes, this.prefixBytes.length + 2 * digest.length);
		int at = this.prefixBytes.length;
		for (byte part : digest) {
			name[at++] = DIGITS[(part >> 4) & 0xf];
			name[at++] = DIGITS[part & 0xf];
		}
		return name;
	}

	byte[] record(RecordId id) {
		return utf8(this.prefix + id.value());
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
		return this.channel;
	}

	/**
	 * A record that is no key's, to try things with.
	 */
	byte[] check() {
		return utf8(this.prefix + "check");
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
