package dev.idempotency.store;

import java.util.HexFormat;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyKey;

/**
 * The id of a record: a digest of its key, which may be shown anywhere.
 *
 * @param value 64 hexadecimal digits, the {@linkplain IdempotencyKey#digest() digest} of
 * the key
 */
public record RecordId(String value) {

	/**
	 * The number of digits.
	 */
	public static final int LENGTH = 64;

	private static final Pattern SYNTAX = Pattern.compile("[0-9a-f]{" + LENGTH + "}");

	public RecordId {
		if (!SYNTAX.matcher(value).matches()) {
			throw new IllegalArgumentException(
					"The id of a record has %d hexadecimal digits in lower case".formatted(LENGTH));
		}
	}

	/**
	 * The id of a key's record.
	 * @return its id
	 */
	public static RecordId of(IdempotencyKey key) {
		return ofDigest(key.digest());
	}

	/**
	 * The id of a record.
	 * @param digest the digest of its key
	 * @return its id
	 */
	public static RecordId ofDigest(byte[] digest) {
		return new RecordId(HexFormat.of().formatHex(digest));
	}

	/**
	 * The digest of the key.
	 * @return 32 bytes
	 */
	public byte[] digest() {
		return HexFormat.of().parseHex(this.value);
	}

	@Override
	public String toString() {
		return this.value;
	}

}
