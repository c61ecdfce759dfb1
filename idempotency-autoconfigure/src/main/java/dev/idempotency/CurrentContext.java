package dev.idempotency;

import dev.idempotency.IdempotencyContext.Binding;
import org.jspecify.annotations.Nullable;

/**
 * Which context is current on a thread.
 */
final class CurrentContext {

	private static final ThreadLocal<IdempotencyContext> current = new ThreadLocal<>();

	private CurrentContext() {
	}

	static @Nullable IdempotencyContext get() {
		return current.get();
	}

	static Binding bind(IdempotencyContext context) {
		IdempotencyContext previous = current.get();
		current.set(context);
		return () -> {
			if (previous != null) {
				current.set(previous);
			}
			else {
				current.remove();
			}
		};
	}

}
