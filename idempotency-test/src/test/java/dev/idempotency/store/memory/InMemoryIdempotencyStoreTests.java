package dev.idempotency.store.memory;

import java.time.Instant;

import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.IdempotencyStoreContract;
import dev.idempotency.test.SearchableStoreContract;
import dev.idempotency.test.MovableClock;
import dev.idempotency.test.NotifyingStoreContract;
import dev.idempotency.test.StoreTime;

class InMemoryIdempotencyStoreTests extends IdempotencyStoreContract
		implements SearchableStoreContract, NotifyingStoreContract {

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final IdempotencyStore store = MemoryStores.with(new MemoryLimits(100_000, 16 << 20), this.clock);

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
