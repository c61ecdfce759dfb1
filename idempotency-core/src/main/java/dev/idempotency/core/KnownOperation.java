package dev.idempotency.core;

import org.jspecify.annotations.Nullable;

/**
 * Something an application does that a retry would repeat, and what protects it.
 *
 * @param name what its keys are remembered under, such as {@code POST /payments}
 * @param kind how it is called
 * @param handler the code that does it, for people
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
		 * By a request.
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
		 * Someone has decided that it needs no protection.
		 */
		EXCLUDED,

		/**
		 * Nothing protects it, and nobody has said why.
		 */
		UNPROTECTED

	}

	/**
	 * How an operation is protected.
	 *
	 * @param keySource where its key comes from, for people
	 * @param keyRequired whether it is refused without a key
	 * @param policy how the engine protects it
	 * @param transactional whether its key is completed in its own transaction
	 * @param limits how large its bodies may be, or {@code null} if it has none
	 */
	public record Protection(String keySource, boolean keyRequired, OperationPolicy policy, boolean transactional,
			@Nullable BodyLimits limits) {
	}

}
