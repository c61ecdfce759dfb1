package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs once per key.
 *
 * @param <T> the type of its result
 * @param <X> what it may fail with
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object, X extends Exception> {

	/**
	 * Does the work.
	 * @throws X if it failed
	 */
	T run() throws X;

	/**
	 * Work without a result.
	 *
	 * @param <X> what it may fail with
	 */
	@FunctionalInterface
	interface Action<X extends Exception> {

		/**
		 * Does the work.
		 * @throws X if it failed
		 */
		void run() throws X;

		/**
		 * This action as work whose result is {@code null}.
		 */
		@SuppressWarnings("NullAway") // T may be null
		default Work<@Nullable Void, X> asWork() {
			return () -> {
				run();
				return null;
			};
		}

	}

}
