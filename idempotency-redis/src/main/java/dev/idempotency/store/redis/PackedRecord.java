package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;

import dev.idempotency.Fingerprint;
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
 * A record in the form that the server stores: a string of bytes, with big-endian
 * numbers. <pre>
 *  0   1 byte    the format, {@value #FORMAT}
 *  1   1 byte    flags: completed, awaited (64, which only scripts read), and which of
 *                the following are present
 *  2   5 bytes   its life: how many milliseconds after the first claim it expires
 *  7   5 bytes   how many milliseconds after that claim the lease expires, or the key
 *                was completed
 * 12   2 bytes   the attempt
 * 14   8 bytes   the owner, also after the completion; zero after a release, and one
 *                after an attempt that has reported that its outcome is unknown
 * 22  32 bytes   the fingerprint, if there is one
 *     texts      namespace, operation, principal, tenant, trace and key, each with a zero
 *                after it; a key that is a UUID as 16 bytes
 *     4 bytes    replays, once one was counted
 *     8 bytes    the owner of the claim that was counted last, after the replays
 *     1-4 bytes  the size of the result, once there is one: seven bits per byte, the
 *                lowest first, and one bit that says whether more follow
 *     the rest   the frame of the result
 * </pre> A record contains no date. It expires when the server's expiry says so, and was
 * created at that time less its life. To write a record therefore takes no request for
 * the server's time, and the server's clock still decides. {@link RecordPacking} writes
 * records. The scripts know the head, and fill in what only the server knows.
 */
final class PackedRecord {

	static final int FORMAT = 2;

	static final int FLAGS = 1;

	static final int LIFE = 2;

	static final int TIME = 7;

	static final int ATTEMPT = 12;

	static final int OWNER = 14;

	static final int HEAD = 22;

	/**
	 * The bytes of a life and of a time: up to 34 years.
	 */
	static final int SPAN_BYTES = 5;

	static final int OWNER_BYTES = 8;

	/**
	 * The owner of a released key whose attempts still count.
	 */
	static final UUID NOBODY = new UUID(0, 0);

	/**
	 * The owner of a record whose last attempt has reported that its outcome is unknown.
	 */
	static final UUID REPORTED = new UUID(0, 1);

	private static final int FINGERPRINT_BYTES = 32;

	static final int UUID_BYTES = 16;

	private static final int REPLAYS_BYTES = 4;

	private static final int LONGEST_SIZE = 4;

	static final int COMPLETED_FLAG = 1;

	static final int FINGERPRINT_FLAG = 2;

	static final int PRINCIPAL_FLAG = 4;

	static final int TENANT_FLAG = 8;

	static final int TRACE_FLAG = 16;

	static final int UUID_FLAG = 32;

	private static final int COUNTED_FLAG = 128;

	private final byte[] bytes;

	/**
	 * Where the record begins.
	 */
	private final int start;

	private final int flags;

	/**
	 * Where each text begins: namespace, operation, principal, tenant, trace, key; and
	 * where the last one ends.
	 */
	private final int namespace;

	private final int operation;

	private final int principal;

	private final int tenant;

	private final int trace;

	private final int key;

	private final int replays;

	/**
	 * Where the frame of the result begins, and its declared size.
	 */
	private final int result;

	private final int size;

	private PackedRecord(byte[] bytes, int start) {
		this.bytes = bytes;
		this.start = start;
		this.flags = bytes[start + FLAGS];
		require(attempt() > 0 && (isCompleted() || !has(COUNTED_FLAG)), "its head is invalid");
		this.namespace = start + HEAD + (has(FINGERPRINT_FLAG) ? FINGERPRINT_BYTES : 0);
		this.operation = after(this.namespace);
		this.principal = after(this.operation);
		this.tenant = has(PRINCIPAL_FLAG) ? after(this.principal) : this.principal;
		this.trace = has(TENANT_FLAG) ? after(this.tenant) : this.tenant;
		this.key = has(TRACE_FLAG) ? after(this.trace) : this.trace;
		int end = has(UUID_FLAG) ? this.key + UUID_BYTES : after(this.key);
		require(end <= bytes.length, "its texts are cut");
		this.replays = end;
		int size = 0;
		if (isCompleted()) {
			end += has(COUNTED_FLAG) ? REPLAYS_BYTES + OWNER_BYTES : 0;
			int shift = 0;
			byte part;
			do {
				require(end < bytes.length && shift < 7 * LONGEST_SIZE, "its result has no size");
				part = bytes[end++];
				size |= (part & 0x7f) << shift;
				shift += 7;
			}
			while (part < 0);
		}
		this.result = end;
		this.size = size;
	}

	/**
	 * Reads a record with its result, if it has one.
	 * @param bytes what the server has
	 * @param start where it begins
	 * @throws UnsupportedFormatException if a newer release wrote it
	 * @throws UnreadableResultException if it is damaged
	 */
	static PackedRecord read(byte[] bytes, int start) {
		PackedRecord record = readHead(bytes, start);
		int size = bytes.length - record.result;
		require(size == record.size, "the size of its result is wrong");
		require(!record.isCompleted() || size >= 2, "its result is missing");
		return record;
	}

	/**
	 * Reads a record without checking its result, which may be missing.
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
	 * The record with which a claim is refused.
	 * @param age how many milliseconds ago the key was first claimed; does not matter for
	 * a completed record
	 */
	IdempotencyRecord toRecord(long age) {
		return isCompleted() ? new IdempotencyRecord.Completed(fingerprint(), attempt(), result(), replays(), trace())
				: new IdempotencyRecord.InProgress(fingerprint(), attempt(), Duration.ofMillis(age), leaseLeft(age),
						trace());
	}

	/**
	 * The summary for operators.
	 * @param expires when it expires
	 */
	RecordSummary toSummary(RecordId id, long now, long expires) {
		long created = expires - number(LIFE, SPAN_BYTES);
		Duration left = isCompleted() ? Duration.ZERO : leaseLeft(now - created);
		RecordState state = isCompleted() ? RecordState.COMPLETED : !left.isZero() ? RecordState.IN_PROGRESS
				: isOwnedBy(REPORTED) ? RecordState.REPORTED_UNKNOWN : RecordState.ABANDONED;
		KeyDescription description = new KeyDescription(text(this.namespace), text(this.operation),
				has(PRINCIPAL_FLAG) ? text(this.principal) : null, has(TENANT_FLAG) ? text(this.tenant) : null, key());
		KeyStatus status = new KeyStatus(state, attempt(), Instant.ofEpochMilli(created),
				isCompleted() ? Instant.ofEpochMilli(created + number(TIME, SPAN_BYTES)) : null,
				Instant.ofEpochMilli(expires));
		return new RecordSummary(id, description, status, left, replays(), this.size, trace());
	}

	boolean isCompleted() {
		return has(COMPLETED_FLAG);
	}

	/**
	 * An owner in its packed form: 64 bits, which are enough to tell apart the claims of
	 * one key.
	 */
	static long token(UUID owner) {
		return owner.getMostSignificantBits() ^ owner.getLeastSignificantBits();
	}

	boolean isOwnedBy(UUID owner) {
		return number(OWNER, OWNER_BYTES) == token(owner);
	}

	int attempt() {
		return (int) number(ATTEMPT, 2);
	}

	StoredResult result() {
		return StoredResult.fromFrame(Arrays.copyOfRange(this.bytes, this.result, this.result + this.size));
	}

	private long replays() {
		return has(COUNTED_FLAG) ? numberAt(this.replays, REPLAYS_BYTES) : 0;
	}

	private Duration leaseLeft(long age) {
		return Duration.ofMillis(Math.max(0, number(TIME, SPAN_BYTES) - age));
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
	 * Where the next field after a text begins.
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
				"A record in Redis is damaged (%s). Find out whether its operation ran, then forget the key."
					.formatted(how));
	}

}
