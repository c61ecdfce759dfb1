package dev.idempotency.store.memory;

/**
 * How much an {@link InMemoryIdempotencyStore} remembers.
 *
 * @param maxEntries how many results at most
 * @param maxBytes how many bytes they take at most, keys included
 */
public record MemoryLimits(long maxEntries, long maxBytes) {

	public MemoryLimits {
		requirePositive("idempotency.memory.max-entries", maxEntries, "100000");
		requirePositive("idempotency.memory.max-size", maxBytes, "64MB");
	}

	private static void requirePositive(String setting, long value, String example) {
		if (value < 1) {
			throw new IllegalArgumentException(
					"%s must be at least 1, but is %d: write a value such as %s".formatted(setting, value, example));
		}
	}

}
