package dev.idempotency.store;

import java.util.Objects;
import java.util.UUID;

import dev.idempotency.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * The right to run an operation until its lease expires.
 *
 * @param owner the unique id of this claim
 * @param attempt 1 for the first claim, one more after each takeover
 * @param place where a {@link RoutingStore} keeps the record, because the thread that
 * renews or ends the claim may not know. Only the store that granted the claim can
 * interpret it; {@code null} for other stores
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
	 * A claim in a store that keeps all records in one place.
	 */
	public Claim(IdempotencyKey key, UUID owner, int attempt) {
		this(key, owner, attempt, null);
	}

}
