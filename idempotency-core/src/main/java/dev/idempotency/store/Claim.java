package dev.idempotency.store;

import java.util.Objects;
import java.util.UUID;

import dev.idempotency.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * The right to run an operation, until its lease is over.
 *
 * @param key the key
 * @param owner tells this claim from every other claim of the key
 * @param attempt 1 for the first claim, one more after each takeover
 * @param place where the store keeps the record, if it has several places to choose from:
 * the thread that renews or ends the claim may know nothing of what led there. It is for
 * the store that granted the claim, and nobody else can tell what it is; {@code null} for
 * nearly all stores
 */
public record Claim(IdempotencyKey key, UUID owner, int attempt, @Nullable Object place) {

	public Claim {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(owner, "owner must not be null");
		if (attempt < 1) {
			throw new IllegalArgumentException("attempt must be at least 1, but is " + attempt);
		}
	}

	/**
	 * A claim in a store that has one place for all records.
	 */
	public Claim(IdempotencyKey key, UUID owner, int attempt) {
		this(key, owner, attempt, null);
	}

}
