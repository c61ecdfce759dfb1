package dev.idempotency.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.RecordId;

/**
 * What things are called under one prefix. A record has the digest of its key for a name,
 * as bytes: as digits it would be half of all that the server keeps beside the answer.
 */
final class Names {

	private static final int DIGEST_BYTES = RecordId.LENGTH / 2;

	private static final String SPECIAL = "*?[]\\^-";

	private final byte[] prefix;

	private final String prefixText;

	private final byte[] channel;

	Names(String prefix) {
		this.prefixText = prefix;
		this.prefix = utf8(prefix);
		this.channel = utf8(prefix + "ended");
	}

	String prefix() {
		return this.prefixText;
	}

	byte[] record(IdempotencyKey key) {
		return record(key.digest());
	}

	byte[] record(RecordId id) {
		return record(id.digest());
	}

	private byte[] record(byte[] digest) {
		byte[] name = Arrays.copyOf(this.prefix, this.prefix.length + digest.length);
		System.arraycopy(digest, 0, name, this.prefix.length, digest.length);
		return name;
	}

	/**
	 * What the names of records match whose digest begins with some digits.
	 */
	byte[] pattern(String digits) {
		ByteArrayOutputStream pattern = new ByteArrayOutputStream();
		for (byte part : this.prefix) {
			addEscaped(pattern, part);
		}
		int bytes = digits.length() / 2;
		for (byte part : HexFormat.of().parseHex(digits, 0, 2 * bytes)) {
			addEscaped(pattern, part);
		}
		if (digits.length() % 2 == 1) {
			// A range: what a single digit begins with begins and ends with nothing
			// special
			int first = HexFormat.fromHexDigit(digits.charAt(2 * bytes++)) << 4;
			pattern.writeBytes(new byte[] { '[', (byte) first, '-', (byte) (first + 0xf), ']' });
		}
		pattern.writeBytes(utf8("?".repeat(DIGEST_BYTES - bytes)));
		return pattern.toByteArray();
	}

	private static void addEscaped(ByteArrayOutputStream pattern, byte part) {
		if (SPECIAL.indexOf(part) >= 0) {
			pattern.write('\\');
		}
		pattern.write(part);
	}

	/**
	 * The record that has a name.
	 */
	RecordId id(byte[] name) {
		return RecordId.ofDigest(Arrays.copyOfRange(name, this.prefix.length, name.length));
	}

	/**
	 * A name that is no record's, one of many, to reach some server of a cluster by.
	 */
	byte[] anchor(int number) {
		return utf8(this.prefixText + "anchor:" + number);
	}

	/**
	 * The channel on which the digests of keys are published that came to an end. Scripts
	 * know it by the names of records.
	 */
	byte[] channel() {
		return this.channel;
	}

	/**
	 * A record that is no key's, to try things with.
	 */
	byte[] check() {
		return utf8(this.prefixText + "check");
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
