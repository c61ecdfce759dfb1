package dev.idempotency.http;

import dev.idempotency.core.Transactions.Transaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction that a handler runs in, if it runs in one. It begins and ends on the
 * handler's thread, and ends once.
 */
public final class HandlerTransaction {

	private static final Logger logger = LoggerFactory.getLogger(HandlerTransaction.class);

	/**
	 * For handlers that run without a transaction. It never becomes active.
	 */
	public static final HandlerTransaction NONE = new HandlerTransaction();

	private @Nullable Transaction active;

	private boolean rolledBack;

	private boolean unknown;

	/**
	 * The handler runs in a transaction from now on.
	 */
	public void begun(Transaction transaction) {
		this.active = transaction;
	}

	/**
	 * Whether it has not ended yet.
	 */
	public boolean isActive() {
		return this.active != null;
	}

	/**
	 * Whether the work of the handler in it was rolled back.
	 */
	public boolean isRolledBack() {
		return this.rolledBack;
	}

	/**
	 * Whether its commit failed, which may have taken effect all the same.
	 */
	public boolean isUnknown() {
		return this.unknown;
	}

	/**
	 * Whether it cannot continue after the handler's response is rendered.
	 */
	public boolean endsWithHandler() {
		return this.active != null && this.active.endsWithHandler();
	}

	/**
	 * Hands the transaction over to the caller, which ends it.
	 * @return the transaction, or {@code null} if there is none any more
	 */
	@Nullable Transaction take() {
		Transaction taken = this.active;
		if (taken == null) {
			return null;
		}
		this.active = null;
		return new Taken(taken);
	}

	/**
	 * Rolls it back, unless it has ended.
	 */
	public void rollBack() {
		Transaction transaction = take();
		if (transaction != null) {
			try {
				transaction.rollBack();
			}
			catch (RuntimeException | Error ex) {
				// A response must be sent all the same, and nothing was committed
				logger.warn("A transaction could not be rolled back: {}", ex.toString());
				logger.debug("The failure in full", ex);
			}
		}
	}

	/**
	 * Remembers how it ended, whichever caller ends it.
	 */
	private final class Taken implements Transaction {

		private final Transaction transaction;

		private Taken(Transaction transaction) {
			this.transaction = transaction;
		}

		@Override
		public void commit() {
			HandlerTransaction.this.unknown = true;
			this.transaction.commit();
			HandlerTransaction.this.unknown = false;
		}

		@Override
		public void rollBack() {
			HandlerTransaction.this.rolledBack = true;
			this.transaction.rollBack();
		}

	}

}
