package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs once per key.
 *
 * @param <T> what comes of it
 * @param <X> what it may fail with
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object, X extends Exception> {

	/**
	 * Does the work.
	 * @return what came of it
	 * @throws X if it failed
	 */
	T run() throws X;

	/**
	 * Work of which nothing comes but its effect.
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
		 * The same as work with a result, which is nothing.
		 * @return the work
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
