package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A record as the scripts describe it, in this order.
 */
final class RecordReply {

	private static final int STATE = 0;

	private static final int FORMAT = 1;

	private static final int ATTEMPT = 2;

	private static final int FINGERPRINT = 3;

	private static final int LEASE_LEFT = 4;

	private static final int REPLAYS = 5;

	private static final int RESULT = 6;

	private static final int CREATED = 7;

	private static final int EXPIRES = 8;

	private static final int COMPLETED = 9;

	private static final int TRACE = 10;

	private static final String KNOWN_FORMAT = "1";

	private final List<@Nullable Object> values;

	RecordReply(List<@Nullable Object> values) {
		this.values = values;
		requireKnownFormat(text(FORMAT));
	}

	static void requireKnownFormat(String format) {
		if (!format.equals(KNOWN_FORMAT)) {
			throw new UnsupportedFormatException(
					"A record has format %s, but this release reads only format %s: upgrade this instance"
						.formatted(format, KNOWN_FORMAT));
		}
	}

	IdempotencyRecord toRecord() {
		Fingerprint fingerprint = Fingerprint.ofBytes(HexFormat.of().parseHex(text(FINGERPRINT)));
		int attempt = (int) number(ATTEMPT);
		return isCompleted()
				? new IdempotencyRecord.Completed(fingerprint, attempt, StoredResult.fromFrame(bytes(RESULT)),
						number(REPLAYS), trace())
				: new IdempotencyRecord.InProgress(fingerprint, attempt, Duration.ofMillis(number(LEASE_LEFT)),
						trace());
	}

	Inspection toInspection() {
		return new Inspection(toRecord(), instant(CREATED), isCompleted() ? instant(COMPLETED) : null,
				instant(EXPIRES));
	}

	private boolean isCompleted() {
		return text(STATE).equals("completed");
	}

	private @Nullable String trace() {
		return (this.values.get(TRACE) != null) ? text(TRACE) : null;
	}

	private Instant instant(int field) {
		return Instant.ofEpochMilli(number(field));
	}

	private String text(int field) {
		return asText(this.values.get(field));
	}

	private long number(int field) {
		return asNumber(this.values.get(field));
	}

	private byte[] bytes(int field) {
		return (this.values.get(field) instanceof byte[] bytes) ? bytes : new byte[0];
	}

	static String asText(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : "";
	}

	/**
	 * A number, which a script gives as such or as it was stored.
	 */
	static long asNumber(@Nullable Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(asText(value));
	}

}
