package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.IdempotencyRecord.Completed;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A result; immutable but for the count of its replays, which goes on when its life is
 * extended. All its times are in milliseconds of the store's clock.
 *
 * @param expires the first moment at which it is over
 */
record CompletedEntry(Fingerprint fingerprint, int attempt, StoredResult result, long created, long completed,
		long expires, @Nullable String trace, AtomicLong replays) implements RememberedEntry {

	/**
	 * What an entry takes beside its texts and bytes: objects, references and a place in
	 * the map and in the timer wheel.
	 */
	static final int OVERHEAD = 400;

	Completed toRecord() {
		return toRecord(this.replays.get());
	}

	/**
	 * This result given out once more.
	 */
	Completed replayed() {
		return toRecord(this.replays.incrementAndGet());
	}

	/**
	 * This result with a longer life.
	 * @param expires when it is forgotten at the earliest
	 */
	CompletedEntry extended(long expires) {
		return (expires <= this.expires) ? this : new CompletedEntry(this.fingerprint, this.attempt, this.result,
				this.created, this.completed, expires, this.trace, this.replays);
	}

	private Completed toRecord(long replays) {
		return new Completed(this.fingerprint, this.attempt, this.result, replays, this.trace);
	}

	@Override
	public RecordState state(long now) {
		return RecordState.COMPLETED;
	}

	@Override
	public RecordSummary summarize(IdempotencyKey key, long now) {
		KeyStatus status = new KeyStatus(RecordState.COMPLETED, this.attempt, Instant.ofEpochMilli(this.created),
				Instant.ofEpochMilli(this.completed), Instant.ofEpochMilli(this.expires));
		return new RecordSummary(RecordId.of(key), KeyDescription.of(key), status, Duration.ZERO, this.replays.get(),
				this.result.size(), this.trace);
	}

	long bytes(IdempotencyKey key) {
		return bytes(key, this.result);
	}

	/**
	 * Roughly what a result takes. The operation and the namespace are not counted: they
	 * are shared by many keys.
	 */
	static long bytes(IdempotencyKey key, StoredResult result) {
		long text = key.value().length();
		if (key.scope().principal() != null) {
			text += key.scope().principal().length();
		}
		if (key.scope().tenant() != null) {
			text += key.scope().tenant().length();
		}
		return OVERHEAD + 2 * text + result.size();
	}

}
