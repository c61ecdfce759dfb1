package dev.idempotency.test;

import java.time.Instant;

import dev.idempotency.fixtures.MapStore;
import dev.idempotency.store.IdempotencyStore;

/**
 * The example of {@code docs/writing-a-store.md} keeps the contract, without Spring.
 */
class MapStoreTests extends IdempotencyStoreContract {

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final MapStore store = new MapStore(this.clock);

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	/**
	 * There is no other one: the records are in the object itself.
	 */
	@Override
	public IdempotencyStore otherInstance() {
		return this.store;
	}

	@Override
	public StoreTime time() {
		return StoreTime.of(this.clock);
	}

}
