package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;

/**
 * Looks at one record after the other, and holds nobody up.
 */
final class MemorySearch {

	private final RunningKeys running;

	private final CompletedResults completed;

	private final Clock clock;

	MemorySearch(RunningKeys running, CompletedResults completed, Clock clock) {
		this.running = running;
		this.completed = completed;
		this.clock = clock;
	}

	Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		long now = this.clock.millis();
		Instant moment = Instant.ofEpochMilli(now);
		forEach((key, entry) -> {
			// Before anything that costs something
			if (entry.created() < newest.floor().toEpochMilli()
					|| (filter.state() != null && filter.state() != entry.state(now))) {
				return;
			}
			Optional.of(entry.summarize(key, now))
				.filter((record) -> filter.matches(record, moment))
				.ifPresent(newest::add);
		});
		return new Found(newest.page(), true);
	}

	Counts count(String namespace) {
		String wanted = RecordFilter.all(namespace).namespace();
		RecordTally tally = new RecordTally();
		long now = this.clock.millis();
		forEach((key, entry) -> {
			KeyDescription description = KeyDescription.of(key);
			if (description.namespace().equals(wanted)) {
				tally.add(description.operation(), entry.state(now), 1);
			}
		});
		return tally.counts();
	}

	private void forEach(BiConsumer<IdempotencyKey, RememberedEntry> action) {
		// In this order: a key that is completed meanwhile is not missed. It could be met
		// twice, which the second look makes nearly impossible
		this.running.forEach((key, entry) -> {
			if (this.completed.get(key) == null) {
				action.accept(key, entry);
			}
		});
		this.completed.forEach(action::accept);
	}

	Optional<Inspection> find(IdempotencyKey key) {
		RememberedEntry entry = this.running.get(key);
		// In this order, for the same reason
		RememberedEntry result = this.completed.get(key);
		return Optional.ofNullable((result != null) ? result : entry)
			.map((found) -> found.inspect(key, this.clock.millis()));
	}

	/**
	 * The key of a record.
	 */
	Optional<IdempotencyKey> keyOf(RecordId id) {
		return Stream.concat(this.running.keys(), this.completed.keys())
			.filter((key) -> RecordId.of(key).equals(id))
			.findFirst();
	}

}
