package dev.idempotency.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.RecordId;

/**
 * The names under one prefix. The name of a record ends with the digest of its key, in
 * bytes. In hex digits, it would be half of what the server stores in addition to the
 * result.
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
	 * The pattern for names of records whose digest begins with the given digits.
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
			// A range of bytes, whose first and last byte are never special characters
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
	 * The id of the record with a name.
	 */
	RecordId id(byte[] name) {
		return RecordId.ofDigest(Arrays.copyOfRange(name, this.prefix.length, name.length));
	}

	/**
	 * A name without a record, one of many, that routes to a server of a cluster.
	 */
	byte[] anchor(int number) {
		return utf8(this.prefixText + "anchor:" + number);
	}

	/**
	 * The channel for the digests of keys that have ended. Scripts derive it from the
	 * name of a record.
	 */
	byte[] channel() {
		return this.channel;
	}

	/**
	 * A record without a key, for checks.
	 */
	byte[] check() {
		return utf8(this.prefixText + "check");
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
