package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.KeyDescription;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of a {@link PackedRecord}.
 */
final class RecordPacking {

	private RecordPacking() {
	}

	/**
	 * The record of a first attempt.
	 * @param life its life, in milliseconds
	 */
	static byte[] claimed(UUID owner, IdempotencyKey key, Fingerprint fingerprint, Duration lease, long life,
			@Nullable String trace) {
		KeyDescription description = KeyDescription.of(key);
		byte[] print = fingerprint.toBytes();
		byte[] namespace = Names.utf8(description.namespace());
		byte[] operation = Names.utf8(description.operation());
		byte @Nullable [] principal = utf8(description.principal());
		byte @Nullable [] tenant = utf8(description.tenant());
		byte @Nullable [] ofTrace = utf8((trace != null) ? trace.replace('\0', '\ufffd') : null);
		boolean isUuid = isUuid(description.key());
		byte[] packedKey = packKey(description.key(), isUuid);
		byte[] bytes = new byte[PackedRecord.HEAD + print.length + namespace.length + 1 + operation.length + 1
				+ length(principal) + length(tenant) + length(ofTrace) + packedKey.length];
		bytes[0] = PackedRecord.FORMAT;
		put(bytes, PackedRecord.LIFE, PackedRecord.SPAN_BYTES, life);
		put(bytes, PackedRecord.TIME, PackedRecord.SPAN_BYTES, lease.toMillis());
		bytes[PackedRecord.FLAGS] = (byte) (flag(PackedRecord.FINGERPRINT_FLAG, print.length > 0)
				| flag(PackedRecord.PRINCIPAL_FLAG, principal != null) | flag(PackedRecord.TENANT_FLAG, tenant != null)
				| flag(PackedRecord.TRACE_FLAG, ofTrace != null) | flag(PackedRecord.UUID_FLAG, isUuid));
		put(bytes, PackedRecord.ATTEMPT, 2, 1);
		put(bytes, PackedRecord.OWNER, PackedRecord.OWNER_BYTES, PackedRecord.token(owner));
		System.arraycopy(print, 0, bytes, PackedRecord.HEAD, print.length);
		int at = putText(bytes, PackedRecord.HEAD + print.length, namespace);
		at = putText(bytes, at, operation);
		at = putText(bytes, at, principal);
		at = putText(bytes, at, tenant);
		at = putText(bytes, at, ofTrace);
		System.arraycopy(packedKey, 0, bytes, at, packedKey.length);
		return bytes;
	}

	private static int length(byte @Nullable [] text) {
		return (text != null) ? text.length + 1 : 0;
	}

	private static int putText(byte[] bytes, int at, byte @Nullable [] text) {
		if (text == null) {
			return at;
		}
		System.arraycopy(text, 0, bytes, at, text.length);
		// The zero after it is there already
		return at + text.length + 1;
	}

	private static byte @Nullable [] utf8(@Nullable String text) {
		return (text != null) ? Names.utf8(text) : null;
	}

	private static int flag(int flag, boolean value) {
		return value ? flag : 0;
	}

	static void put(byte[] bytes, int at, int length, long number) {
		for (int i = 0; i < length; i++) {
			bytes[at + i] = (byte) (number >>> (8 * (length - 1 - i)));
		}
	}

	/**
	 * An owner in its packed form.
	 */
	static byte[] owner(UUID owner) {
		byte[] bytes = new byte[PackedRecord.OWNER_BYTES];
		put(bytes, 0, PackedRecord.OWNER_BYTES, PackedRecord.token(owner));
		return bytes;
	}

	/**
	 * The arguments of a completion besides the result.
	 * @param owner the owner of the claim
	 * @param least how long to keep the record at least, in milliseconds
	 * @param size the size of the result
	 */
	static byte[] completion(UUID owner, long least, int size) {
		byte[] bytes = new byte[PackedRecord.OWNER_BYTES + PackedRecord.SPAN_BYTES + sizeLength(size)];
		put(bytes, 0, PackedRecord.OWNER_BYTES, PackedRecord.token(owner));
		put(bytes, PackedRecord.OWNER_BYTES, PackedRecord.SPAN_BYTES, least);
		putSize(bytes, PackedRecord.OWNER_BYTES + PackedRecord.SPAN_BYTES, size);
		return bytes;
	}

	/**
	 * The number of bytes of a packed size.
	 */
	static int sizeLength(int size) {
		int length = 1;
		for (int rest = size >>> 7; rest != 0; rest >>>= 7) {
			length++;
		}
		return length;
	}

	static void putSize(byte[] bytes, int at, int size) {
		int next = at;
		int rest = size;
		while (rest > 0x7f) {
			bytes[next++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		bytes[next] = (byte) rest;
	}

	/**
	 * A key in its packed form. Most keys are UUIDs, which take less than half of the
	 * space as bytes.
	 */
	static byte[] packKey(String key) {
		return packKey(key, isUuid(key));
	}

	private static byte[] packKey(String key, boolean isUuid) {
		if (!isUuid) {
			byte[] text = Names.utf8(key);
			return Arrays.copyOf(text, text.length + 1);
		}
		byte[] bytes = new byte[PackedRecord.UUID_BYTES];
		for (int i = 0, at = 0; i < PackedRecord.UUID_BYTES; i++, at += 2) {
			at += (key.charAt(at) == '-') ? 1 : 0;
			bytes[i] = (byte) (digit(key.charAt(at)) << 4 | digit(key.charAt(at + 1)));
		}
		return bytes;
	}

	private static int digit(char c) {
		return (c <= '9') ? c - '0' : c - 'a' + 10;
	}

	/**
	 * Whether a key is a UUID whose text can be restored from its bytes.
	 */
	private static boolean isUuid(String key) {
		if (key.length() != 36) {
			return false;
		}
		for (int i = 0; i < key.length(); i++) {
			char c = key.charAt(i);
			boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
			if (dash ? c != '-' : (c < '0' || c > '9') && (c < 'a' || c > 'f')) {
				return false;
			}
		}
		return true;
	}

}
