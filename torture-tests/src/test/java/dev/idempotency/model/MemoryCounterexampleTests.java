package dev.idempotency.model;

import java.time.Instant;

import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.MovableClock;
import dev.idempotency.test.StoreTime;

class MemoryCounterexampleTests implements CounterexampleContract {

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final IdempotencyStore store = MemoryStores.with(this.clock);

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	@Override
	public IdempotencyStore otherInstance() {
		return this.store;
	}

	@Override
	public StoreTime time() {
		return StoreTime.of(this.clock);
	}

}
