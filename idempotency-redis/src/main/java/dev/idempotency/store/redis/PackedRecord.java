package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A record as the server keeps it: a string of bytes, numbers with their highest byte
 * first. <pre>
 *  0   1 byte    the format, {@value #FORMAT}
 *  1   6 bytes   when the key was first claimed, in milliseconds
 *  7   5 bytes   how many milliseconds later the lease ends, or the key was completed
 * 12   4 bytes   the size of the result
 * 16   1 byte    flags: completed, and which of the following there are
 * 17   2 bytes   the attempt
 * 19   4 bytes   replays, as far as they are counted
 * 23  16 bytes   the owner, also after the completion; zero when the key was given back
 * 39  32 bytes   the fingerprint, if there is one
 *     texts      namespace, operation, principal, tenant, trace and key, each with a zero
 *                after it; a key that is a UUID as 16 bytes
 *     the rest   the frame of the result, once there is one
 * </pre> When it will be forgotten is nowhere in it: that is the server's expiry. The
 * scripts know the head, and fill in what only the server knows.
 */
final class PackedRecord {

	static final int FORMAT = 1;

	static final int CREATED = 1;

	static final int TIME = 7;

	static final int SIZE = 12;

	static final int FLAGS = 16;

	private static final int ATTEMPT = 17;

	private static final int REPLAYS = 19;

	private static final int OWNER = 23;

	static final int HEAD = 39;

	private static final int FINGERPRINT_BYTES = 32;

	private static final int UUID_BYTES = 16;

	static final int COMPLETED_FLAG = 1;

	private static final int FINGERPRINT_FLAG = 2;

	private static final int PRINCIPAL_FLAG = 4;

	private static final int TENANT_FLAG = 8;

	private static final int TRACE_FLAG = 16;

	private static final int UUID_FLAG = 32;

	private static final int ALL_FLAGS = 63;

	private final byte[] bytes;

	/**
	 * Where the record begins.
	 */
	private final int start;

	private final int flags;

	/**
	 * Where texts begin: namespace, operation, principal, tenant, trace, key; and where
	 * the last one is over.
	 */
	private final int namespace;

	private final int operation;

	private final int principal;

	private final int tenant;

	private final int trace;

	private final int key;

	private final int result;

	private PackedRecord(byte[] bytes, int start) {
		this.bytes = bytes;
		this.start = start;
		this.flags = bytes[start + FLAGS];
		require((this.flags & ~ALL_FLAGS) == 0 && attempt() > 0, "its head makes no sense");
		this.namespace = start + HEAD + (has(FINGERPRINT_FLAG) ? FINGERPRINT_BYTES : 0);
		this.operation = after(this.namespace);
		this.principal = after(this.operation);
		this.tenant = has(PRINCIPAL_FLAG) ? after(this.principal) : this.principal;
		this.trace = has(TENANT_FLAG) ? after(this.tenant) : this.tenant;
		this.key = has(TRACE_FLAG) ? after(this.trace) : this.trace;
		this.result = has(UUID_FLAG) ? this.key + UUID_BYTES : after(this.key);
		require(this.result <= bytes.length, "its texts are cut");
	}

	/**
	 * A record with all of its result, if it has one.
	 * @param bytes what the server has
	 * @param start where it begins
	 * @throws UnsupportedFormatException if a newer release wrote it
	 * @throws UnreadableResultException if it is damaged
	 */
	static PackedRecord read(byte[] bytes, int start) {
		PackedRecord record = readHead(bytes, start);
		int size = bytes.length - record.result;
		require(size == record.size(), "its result has another size than it says");
		require(record.isCompleted() ? size >= 2 : size == 0, "its result is missing, or comes too early");
		return record;
	}

	/**
	 * A record with or without its result, which is not looked at.
	 * @param bytes what the server has
	 * @param start where it begins
	 * @throws UnsupportedFormatException if a newer release wrote it
	 * @throws UnreadableResultException if it is damaged
	 */
	static PackedRecord readHead(byte[] bytes, int start) {
		require(bytes.length > start, "it is empty");
		if (bytes[start] != FORMAT) {
			throw new UnsupportedFormatException(
					"A record has format %d, but this release reads only format %d: upgrade this instance"
						.formatted(bytes[start] & 0xff, FORMAT));
		}
		require(bytes.length - start >= HEAD, "its head is cut");
		return new PackedRecord(bytes, start);
	}

	/**
	 * A record of a first attempt as it would be if time began now; the server adds its
	 * own.
	 */
	static byte[] claimed(UUID owner, IdempotencyKey key, Fingerprint fingerprint, Duration lease,
			@Nullable String trace) {
		KeyDescription description = KeyDescription.of(key);
		byte[] print = fingerprint.toBytes();
		byte[] namespace = Names.utf8(description.namespace());
		byte[] operation = Names.utf8(description.operation());
		byte @Nullable [] principal = utf8(description.principal());
		byte @Nullable [] tenant = utf8(description.tenant());
		byte @Nullable [] ofTrace = utf8((trace != null) ? trace.replace('\0', '\ufffd') : null);
		byte[] packedKey = packKey(description.key());
		byte[] bytes = new byte[HEAD + print.length + namespace.length + 1 + operation.length + 1 + length(principal)
				+ length(tenant) + length(ofTrace) + packedKey.length];
		bytes[0] = FORMAT;
		put(bytes, TIME, 5, lease.toMillis());
		bytes[FLAGS] = (byte) (flag(FINGERPRINT_FLAG, print.length > 0) | flag(PRINCIPAL_FLAG, principal != null)
				| flag(TENANT_FLAG, tenant != null) | flag(TRACE_FLAG, ofTrace != null)
				| flag(UUID_FLAG, isUuid(description.key())));
		put(bytes, ATTEMPT, 2, 1);
		put(bytes, OWNER, 8, owner.getMostSignificantBits());
		put(bytes, OWNER + 8, 8, owner.getLeastSignificantBits());
		System.arraycopy(print, 0, bytes, HEAD, print.length);
		int at = putText(bytes, HEAD + print.length, namespace);
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
		// The zero after it is there
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
	 * An owner as it is in a record.
	 */
	static byte[] owner(UUID owner) {
		byte[] bytes = new byte[UUID_BYTES];
		put(bytes, 0, 8, owner.getMostSignificantBits());
		put(bytes, 8, 8, owner.getLeastSignificantBits());
		return bytes;
	}

	/**
	 * A key as it is in a record: most are UUIDs, which take less than half as bytes.
	 */
	static byte[] packKey(String key) {
		if (!isUuid(key)) {
			byte[] text = Names.utf8(key);
			return Arrays.copyOf(text, text.length + 1);
		}
		byte[] bytes = new byte[UUID_BYTES];
		for (int i = 0, digit = 0; digit < key.length(); i++) {
			digit += (key.charAt(digit) == '-') ? 1 : 0;
			bytes[i] = (byte) HexFormat.fromHexDigits(key, digit, digit + 2);
			digit += 2;
		}
		return bytes;
	}

	/**
	 * Whether a key is a UUID that can be told from its bytes as it was given.
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

	/**
	 * What a claim is refused with.
	 * @param now the server's time
	 */
	IdempotencyRecord toRecord(long now) {
		return isCompleted()
				? new IdempotencyRecord.Completed(fingerprint(), attempt(), result(), number(REPLAYS, 4), trace())
				: new IdempotencyRecord.InProgress(fingerprint(), attempt(),
						Duration.ofMillis(now - number(CREATED, 6)), leaseLeft(now), trace());
	}

	/**
	 * What people see.
	 * @param id its name
	 * @param now the server's time
	 * @param expires when it will be forgotten
	 */
	RecordSummary toSummary(RecordId id, long now, long expires) {
		Duration left = isCompleted() ? Duration.ZERO : leaseLeft(now);
		RecordState state = isCompleted() ? RecordState.COMPLETED
				: left.isZero() ? RecordState.ABANDONED : RecordState.IN_PROGRESS;
		KeyDescription description = new KeyDescription(text(this.namespace), text(this.operation),
				has(PRINCIPAL_FLAG) ? text(this.principal) : null, has(TENANT_FLAG) ? text(this.tenant) : null, key());
		KeyStatus status = new KeyStatus(state, attempt(), created(), completed(), Instant.ofEpochMilli(expires));
		return new RecordSummary(id, description, status, left, number(REPLAYS, 4), size(), trace());
	}

	boolean isCompleted() {
		return has(COMPLETED_FLAG);
	}

	Instant created() {
		return Instant.ofEpochMilli(number(CREATED, 6));
	}

	@Nullable Instant completed() {
		return isCompleted() ? Instant.ofEpochMilli(number(CREATED, 6) + number(TIME, 5)) : null;
	}

	UUID owner() {
		return new UUID(number(OWNER, 8), number(OWNER + 8, 8));
	}

	int attempt() {
		return (int) number(ATTEMPT, 2);
	}

	StoredResult result() {
		return StoredResult.fromFrame(Arrays.copyOfRange(this.bytes, this.result, this.bytes.length));
	}

	private int size() {
		return (int) number(SIZE, 4);
	}

	private Duration leaseLeft(long now) {
		return Duration.ofMillis(Math.max(0, number(CREATED, 6) + number(TIME, 5) - now));
	}

	Fingerprint fingerprint() {
		return has(FINGERPRINT_FLAG)
				? Fingerprint
					.ofBytes(Arrays.copyOfRange(this.bytes, this.start + HEAD, this.start + HEAD + FINGERPRINT_BYTES))
				: Fingerprint.none();
	}

	private @Nullable String trace() {
		return has(TRACE_FLAG) ? text(this.trace) : null;
	}

	private String key() {
		if (!has(UUID_FLAG)) {
			return text(this.key);
		}
		return new UUID(numberAt(this.key, 8), numberAt(this.key + 8, 8)).toString();
	}

	private boolean has(int flag) {
		return (this.flags & flag) != 0;
	}

	private String text(int from) {
		return new String(this.bytes, from, after(from) - 1 - from, StandardCharsets.UTF_8);
	}

	/**
	 * Where a text is over.
	 */
	private int after(int from) {
		for (int i = from; i < this.bytes.length; i++) {
			if (this.bytes[i] == 0) {
				return i + 1;
			}
		}
		throw damaged("its texts are cut");
	}

	private long number(int field, int length) {
		return numberAt(this.start + field, length);
	}

	private long numberAt(int at, int length) {
		return number(this.bytes, at, length);
	}

	static long number(byte[] bytes, int at, int length) {
		long number = 0;
		for (int i = at; i < at + length; i++) {
			number = (number << 8) | (bytes[i] & 0xff);
		}
		return number;
	}

	private static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw damaged(otherwise);
		}
	}

	static UnreadableResultException damaged(String how) {
		return new UnreadableResultException(
				"A record in Redis is damaged (%s): forget it once it is clear what became of its operation"
					.formatted(how));
	}

}
