package dev.idempotency.core;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Begins the transactions in which operations do their work.
 */
@FunctionalInterface
public interface Transactions {

	/**
	 * Begins a new transaction on this thread, whether or not it is in one.
	 * @return the transaction, to be ended on the same thread
	 */
	Transaction begin();

	/**
	 * The transaction manager.
	 * @return the manager, which the transactions of callers may share, or {@code null}
	 * if it is unknown
	 */
	default @Nullable Object manager() {
		return null;
	}

	/**
	 * The exception if there is no transaction manager, or no unique one.
	 * @param operation the operation that needs one
	 * @param wish the attribute that requires it
	 */
	static IdempotencyConfigurationException missing(Object operation, String wish) {
		return new IdempotencyConfigurationException(
				("%s asks for %s, and there is no transaction manager, or there are several transaction managers and "
						+ "nothing says which")
					.formatted(operation, wish),
				"Define a PlatformTransactionManager bean (one, one of the store's DataSource, or a primary one), or "
						+ "leave it out.");
	}

	/**
	 * How a transaction has ended.
	 */
	enum Ending {

		/**
		 * It was committed.
		 */
		COMMITTED,

		/**
		 * It was rolled back.
		 */
		ROLLED_BACK,

		/**
		 * Its commit was tried, and whether it succeeded is unknown.
		 */
		UNKNOWN

	}

	/**
	 * A transaction that has begun.
	 */
	interface Transaction {

		/**
		 * Commits the transaction.
		 */
		void commit();

		/**
		 * Rolls the transaction back.
		 */
		void rollBack();

		/**
		 * Whether it uses a resource that was bound to its thread before, such as a
		 * session that is open in view, and must end before that resource is closed.
		 * @return whether it must end as soon as the operation's handler returns
		 */
		default boolean endsWithHandler() {
			return false;
		}

	}

}
