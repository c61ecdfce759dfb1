package dev.idempotency.core;

import dev.idempotency.CoreSetting;
import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Transactions in which the work of operations is done.
 */
@FunctionalInterface
public interface Transactions {

	/**
	 * Begins a transaction on this thread, whatever other one it is in.
	 * @return the transaction, to be ended on the same thread
	 */
	Transaction begin();

	/**
	 * Who manages them.
	 * @return the manager that callers' transactions may have too, or {@code null} if
	 * nobody knows
	 */
	default @Nullable Object manager() {
		return null;
	}

	/**
	 * What to say where there are none, or nothing says which.
	 * @param operation what is to be done in one
	 * @param wish how it asks for that
	 * @return the exception
	 */
	static IdempotencyConfigurationException missing(Object operation, String wish) {
		return new IdempotencyConfigurationException(Explanation.of(
				"%s asks for %s, and there is no transaction manager, or there are several transaction managers and nothing says which",
				operation, wish),
				Explanation.of("Define %s (one, one of the store's DataSource, or a primary one), or leave it out.",
						CoreSetting.TRANSACTION_MANAGER));
	}

	/**
	 * How a transaction has ended.
	 */
	enum Ending {

		/**
		 * All that was done in it counts.
		 */
		COMMITTED,

		/**
		 * Nothing of it does.
		 */
		ROLLED_BACK,

		/**
		 * Its commit was tried, and nobody knows what came of it.
		 */
		UNKNOWN

	}

	/**
	 * A transaction that has begun.
	 */
	interface Transaction {

		/**
		 * Makes everything that was done in it count.
		 */
		void commit();

		/**
		 * Undoes everything that was done in it.
		 */
		void rollBack();

		/**
		 * Whether it uses something that its thread was bound to before, such as a
		 * session that is open in view, and has to end before that does.
		 * @return whether it has to end as soon as the operation's handler does
		 */
		default boolean endsWithHandler() {
			return false;
		}

	}

}
