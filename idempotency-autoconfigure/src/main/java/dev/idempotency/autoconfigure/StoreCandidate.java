package dev.idempotency.autoconfigure;

import java.util.function.Supplier;

import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.IdempotencyStore;

/**
 * A store that the application could use.
 *
 * @param type its name in the settings
 * @param factory creates it, if it is chosen
 */
record StoreCandidate(StoreType type, Supplier<IdempotencyStore> factory) {
}
