package dev.idempotency.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordState;
import dev.idempotency.store.RecordSummary;
import org.jspecify.annotations.Nullable;

/**
 * What people see of a record as the scripts describe it, in this order.
 *
 * @param values the fields
 * @param now the server's time
 */
record SummaryReply(List<@Nullable Object> values, long now) {

	/**
	 * How many fields there are.
	 */
	static final int SIZE = 13;

	private static final int STATE = 0;

	private static final int ATTEMPT = 1;

	private static final int LEASE = 2;

	private static final int CREATED = 3;

	private static final int COMPLETED = 4;

	private static final int EXPIRES = 5;

	private static final int REPLAYS = 6;

	private static final int TRACE = 7;

	private static final int NAMESPACE = 8;

	private static final int OPERATION = 9;

	private static final int PRINCIPAL = 10;

	private static final int TENANT = 11;

	private static final int KEY = 12;

	RecordSummary toSummary(RecordId id, long size) {
		boolean completed = RecordReply.asText(this.values.get(STATE)).equals("completed");
		Duration leaseLeft = Duration.ofMillis(completed ? 0 : Math.max(0, number(LEASE) - this.now));
		RecordState state = completed ? RecordState.COMPLETED
				: leaseLeft.isZero() ? RecordState.ABANDONED : RecordState.IN_PROGRESS;
		KeyDescription key = new KeyDescription(RecordReply.asText(this.values.get(NAMESPACE)),
				RecordReply.asText(this.values.get(OPERATION)), text(PRINCIPAL), text(TENANT),
				RecordReply.asText(this.values.get(KEY)));
		RecordSummary.Times times = new RecordSummary.Times(instant(CREATED), completed ? instant(COMPLETED) : null,
				instant(EXPIRES));
		return new RecordSummary(id, key, state, (int) number(ATTEMPT), leaseLeft, times, number(REPLAYS), size,
				text(TRACE));
	}

	private Instant instant(int field) {
		return Instant.ofEpochMilli(number(field));
	}

	private long number(int field) {
		return (this.values.get(field) != null) ? RecordReply.asNumber(this.values.get(field)) : 0;
	}

	private @Nullable String text(int field) {
		return (this.values.get(field) != null) ? RecordReply.asText(this.values.get(field)) : null;
	}

}
