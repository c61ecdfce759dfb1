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
 * extended.
 */
final class CompletedEntry implements RememberedEntry {

	/**
	 * What an entry takes beside its texts and bytes: objects, references and a place in
	 * the map and in the timer wheel.
	 */
	static final int OVERHEAD = 400;

	private final Fingerprint fingerprint;

	private final int attempt;

	private final StoredResult result;

	private final Life life;

	private final @Nullable String trace;

	private final AtomicLong replays;

	CompletedEntry(Fingerprint fingerprint, int attempt, StoredResult result, Life life, @Nullable String trace) {
		this.fingerprint = fingerprint;
		this.attempt = attempt;
		this.result = result;
		this.life = life;
		this.trace = trace;
		this.replays = new AtomicLong();
	}

	private CompletedEntry(CompletedEntry entry, Life life) {
		this.fingerprint = entry.fingerprint;
		this.attempt = entry.attempt;
		this.result = entry.result;
		this.life = life;
		this.trace = entry.trace;
		this.replays = entry.replays;
	}

	@Override
	public Fingerprint fingerprint() {
		return this.fingerprint;
	}

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
		return (expires <= this.life.expires) ? this
				: new CompletedEntry(this, new Life(this.life.created, this.life.completed, expires));
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
		KeyStatus status = new KeyStatus(RecordState.COMPLETED, this.attempt, Instant.ofEpochMilli(this.life.created),
				Instant.ofEpochMilli(this.life.completed), Instant.ofEpochMilli(this.life.expires));
		return new RecordSummary(RecordId.of(key), KeyDescription.of(key), status, Duration.ZERO, this.replays.get(),
				this.result.size(), this.trace);
	}

	@Override
	public StoredResult result() {
		return this.result;
	}

	@Override
	public long created() {
		return this.life.created;
	}

	/**
	 * The first moment at which it is over, in milliseconds of the store's clock.
	 */
	long expires() {
		return this.life.expires;
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

	/**
	 * When the key was first claimed, when it was completed, and when it is forgotten.
	 */
	record Life(long created, long completed, long expires) {
	}

}
