package dev.idempotency.core;

import org.jspecify.annotations.Nullable;

/**
 * An operation of the application that a retry would run again, and its protection.
 *
 * @param name its name in the scope of its keys, such as {@code POST /payments}
 * @param kind how it is called
 * @param handler a readable name of the code that runs it
 * @param coverage whether it is protected
 * @param protection how it is protected, or {@code null} if it is not
 */
public record KnownOperation(String name, Kind kind, String handler, Coverage coverage,
		@Nullable Protection protection) {

	/**
	 * How an operation is called.
	 */
	public enum Kind {

		/**
		 * By an HTTP request.
		 */
		HTTP,

		/**
		 * By a call of a bean's method.
		 */
		METHOD

	}

	/**
	 * Whether an operation is protected.
	 */
	public enum Coverage {

		/**
		 * It is protected.
		 */
		PROTECTED,

		/**
		 * It is declared to need no protection.
		 */
		EXCLUDED,

		/**
		 * It has no protection, and is not declared to need none.
		 */
		UNPROTECTED

	}

	/**
	 * How an operation is protected.
	 *
	 * @param keySource a readable source of its key
	 * @param keyRequired whether it is refused without a key
	 * @param policy how the engine protects it
	 * @param transactional whether its key is completed in its own transaction
	 * @param limits how large its bodies may be, or {@code null} if it has none
	 */
	public record Protection(String keySource, boolean keyRequired, OperationPolicy policy, boolean transactional,
			@Nullable BodyLimits limits) {
	}

}
