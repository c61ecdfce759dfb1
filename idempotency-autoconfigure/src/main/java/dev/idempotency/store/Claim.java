package dev.idempotency.store;

import java.util.Objects;
import java.util.UUID;

import dev.idempotency.IdempotencyKey;

/**
 * The right to run an operation, until its lease is over.
 *
 * @param key the key
 * @param owner tells this claim from every other claim of the key
 * @param attempt 1 for the first claim, one more after each takeover
 */
public record Claim(IdempotencyKey key, UUID owner, int attempt) {

	public Claim {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(owner, "owner must not be null");
		if (attempt < 1) {
			throw new IllegalArgumentException("attempt must be at least 1, but is " + attempt);
		}
	}

}
