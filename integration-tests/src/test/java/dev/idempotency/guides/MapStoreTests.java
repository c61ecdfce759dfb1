package dev.idempotency.guides;

import java.time.Instant;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.IdempotencyStoreContract;
import dev.idempotency.test.MovableClock;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.Tag;

/**
 * The example of {@code docs/writing-a-store.md} keeps the contract.
 */
@Tag("once")
class MapStoreTests extends IdempotencyStoreContract {

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final MapStore store = new MapStore(this.clock);

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	@Override
	public StoreTime time() {
		return StoreTime.of(this.clock);
	}

}
