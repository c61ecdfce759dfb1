package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * Follows attempts from their beginning to their end. An observer that fails changes
 * nothing.
 */
@FunctionalInterface
public interface AttemptObserver {

	/**
	 * An attempt begins. Called on the operation's own thread, before the store is asked.
	 * @param key the key, with its namespace
	 * @return hears of this attempt alone: of the decision first, and then, if it holds
	 * its key, of its end, possibly on another thread; {@code null} if nobody wants to
	 */
	@Nullable IdempotencyListener begin(IdempotencyKey key);

}
