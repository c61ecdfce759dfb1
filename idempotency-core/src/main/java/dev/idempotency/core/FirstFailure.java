package dev.idempotency.core;

import java.util.function.BooleanSupplier;

/**
 * Cleans up after a failure without losing it. The caller gets the first failure;
 * failures of the cleanup, such as ending a transaction or a lease, are attached to it.
 */
public final class FirstFailure {

	private FirstFailure() {
	}

	/**
	 * Runs a cleanup action after a failure.
	 * @param first the first failure, which the caller rethrows
	 * @param action the cleanup
	 */
	public static void then(Throwable first, Runnable action) {
		thenTry(first, () -> {
			action.run();
			return true;
		});
	}

	/**
	 * Tries a cleanup action after a failure.
	 * @param first the first failure, which the caller rethrows
	 * @param action the cleanup
	 * @return its result, or {@code false} if it failed too
	 */
	public static boolean thenTry(Throwable first, BooleanSupplier action) {
		try {
			return action.getAsBoolean();
		}
		catch (Throwable later) {
			attach(first, later);
			return false;
		}
	}

	private static void attach(Throwable first, Throwable later) {
		// A JVM without memory throws the same error object again and again
		if (first != later) {
			try {
				first.addSuppressed(later);
			}
			catch (Throwable ex) {
				// No memory is left to attach it
			}
		}
	}

}
