package dev.idempotency.store.memory;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * How much an {@link InMemoryIdempotencyStore} stores.
 *
 * @param maxEntries the most results
 * @param maxBytes the most bytes they take, keys included
 */
public record MemoryLimits(long maxEntries, long maxBytes) {

	public MemoryLimits {
		requirePositive("idempotency.memory.max-entries", maxEntries, "100000");
		requirePositive("idempotency.memory.max-size", maxBytes, "64MB");
	}

	private static void requirePositive(String setting, long value, String example) {
		if (value < 1) {
			throw new IdempotencyConfigurationException("%s must be at least 1, but is %d".formatted(setting, value),
					"Write a value such as %s.".formatted(example));
		}
	}

}
