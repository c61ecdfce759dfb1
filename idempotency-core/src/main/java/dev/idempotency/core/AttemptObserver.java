package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * Follows attempts from their beginning to their end. A failing observer does not affect
 * the operation.
 */
@FunctionalInterface
public interface AttemptObserver {

	/**
	 * An attempt begins. Called on the operation's own thread, before the claim.
	 * @param key the key, with its namespace
	 * @return a listener for this attempt alone: it gets the decision first, and then, if
	 * the attempt holds its key, its end, possibly on another thread; {@code null} for
	 * none
	 */
	@Nullable IdempotencyListener begin(IdempotencyKey key);

}
