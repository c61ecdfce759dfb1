package dev.idempotency.core;

import java.util.function.BooleanSupplier;

/**
 * What failed first is what the caller is told. Much has to be done all the same, such as
 * to end a transaction or a lease; what fails then is attached to it.
 */
public final class FirstFailure {

	private FirstFailure() {
	}

	/**
	 * Does what has to be done after a failure, whatever comes of it.
	 * @param first what failed first, and is to be thrown on
	 * @param action what has to be done
	 */
	public static void then(Throwable first, Runnable action) {
		thenTry(first, () -> {
			action.run();
			return true;
		});
	}

	/**
	 * Tries what is to be tried after a failure.
	 * @param first what failed first, and is to be thrown on
	 * @param action what is to be tried
	 * @return what it says, or {@code false} if it failed too
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
		// A JVM without memory throws one and the same error again and again
		if (first != later) {
			try {
				first.addSuppressed(later);
			}
			catch (Throwable ex) {
				// There is not even room for a note of it
			}
		}
	}

}
