package dev.idempotency.store.memory;

import dev.idempotency.CoreSetting;
import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Setting;

/**
 * How much an {@link InMemoryIdempotencyStore} stores.
 *
 * @param maxEntries the most results
 * @param maxBytes the most bytes they take, keys included
 */
public record MemoryLimits(long maxEntries, long maxBytes) {

	public MemoryLimits {
		requirePositive(CoreSetting.MEMORY_ENTRIES, maxEntries, "100000");
		requirePositive(CoreSetting.MEMORY_SIZE, maxBytes, "64MB");
	}

	private static void requirePositive(Setting setting, long value, String example) {
		if (value < 1) {
			throw new IdempotencyConfigurationException(
					Explanation.of("%s must be at least 1, but is %d", setting, value),
					Explanation.of("Write a value such as %s.", example));
		}
	}

}
