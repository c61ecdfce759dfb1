package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import org.jspecify.annotations.Nullable;

/**
 * Scans the records without blocking claims.
 */
final class MemorySearch {

	private final MemoryRecords records;

	private final Clock clock;

	MemorySearch(MemoryRecords records, Clock clock) {
		this.records = records;
		this.clock = clock;
	}

	Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		long now = this.clock.millis();
		Instant moment = Instant.ofEpochMilli(now);
		this.records.forEach((record) -> {
			// The cheap checks first
			if (record.created() < newest.floor().toEpochMilli()
					|| (filter.state() != null && filter.state() != record.state(now))) {
				return;
			}
			RecordSummary summary = record.summarize(now);
			if (filter.matches(summary, moment)) {
				newest.add(summary);
			}
		});
		return new Found(newest.page(), true);
	}

	Counts count(String namespace) {
		String wanted = RecordFilter.all(namespace).namespace();
		RecordTally tally = new RecordTally();
		long now = this.clock.millis();
		this.records.forEach((record) -> {
			KeyDescription description = KeyDescription.of(record.key());
			if (description.namespace().equals(wanted)) {
				tally.add(description.operation(), record.state(now), 1);
			}
		});
		return tally.counts();
	}

	Optional<Inspection> find(IdempotencyKey key) {
		MemoryRecord record = this.records.get(key);
		long now = this.clock.millis();
		return (record == null || record.isOver(now)) ? Optional.empty() : Optional.of(record.inspect(now));
	}

	/**
	 * The key of a record.
	 */
	Optional<IdempotencyKey> keyOf(RecordId id) {
		AtomicReference<@Nullable IdempotencyKey> found = new AtomicReference<>();
		this.records.forEach((record) -> {
			if (RecordId.of(record.key()).equals(id)) {
				found.setPlain(record.key());
			}
		});
		return Optional.ofNullable(found.getPlain());
	}

}
