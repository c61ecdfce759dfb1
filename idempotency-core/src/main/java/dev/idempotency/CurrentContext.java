package dev.idempotency;

import dev.idempotency.IdempotencyContext.Binding;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * Which context is current on a thread.
 */
final class CurrentContext {

	/**
	 * Under which the log shows whose key it is about.
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
	 * What the log is to show.
	 * @return {@code null} if nobody would see it
	 */
	private static @Nullable String hashFor(IdempotencyContext context) {
		return (MDC.getMDCAdapter() instanceof NOPMDCAdapter) ? null : context.key().hash();
	}

	/**
	 * What was there before.
	 */
	private record Bound(@Nullable IdempotencyContext previous, @Nullable String hash,
			@Nullable String previousHash) implements Binding {

		@Override
		public void close() {
			// Not removed where there was none: the next request finds its place
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
