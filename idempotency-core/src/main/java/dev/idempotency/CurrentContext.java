package dev.idempotency;

import dev.idempotency.IdempotencyContext.Binding;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * Holds the current context of each thread.
 */
final class CurrentContext {

	/**
	 * The name of the key's hash in the MDC.
	 */
	private static final String MDC_KEY = "idempotency.key";

	private static final ThreadLocal<@Nullable IdempotencyContext> current = new ThreadLocal<>();

	private CurrentContext() {
	}

	static @Nullable IdempotencyContext get() {
		return current.get();
	}

	static Binding bind(IdempotencyContext context) {
		IdempotencyContext previous = current.get();
		String hash = hashFor(context);
		String previousHash = (hash != null) ? MDC.get(MDC_KEY) : null;
		current.set(context);
		if (hash != null) {
			MDC.put(MDC_KEY, hash);
		}
		return new Bound(previous, hash, previousHash);
	}

	/**
	 * The hash to put into the MDC.
	 * @return {@code null} if the logging backend has no MDC
	 */
	private static @Nullable String hashFor(IdempotencyContext context) {
		return (MDC.getMDCAdapter() instanceof NOPMDCAdapter) ? null : context.key().hash();
	}

	/**
	 * The state to restore.
	 */
	private record Bound(@Nullable IdempotencyContext previous, @Nullable String hash,
			@Nullable String previousHash) implements Binding {

		@Override
		public void close() {
			// Set to null rather than removed: the thread's next request reuses the entry
			current.set(this.previous);
			if (this.previousHash != null) {
				MDC.put(MDC_KEY, this.previousHash);
			}
			else if (this.hash != null) {
				MDC.remove(MDC_KEY);
			}
		}

	}

}
