package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.CallState;
import dev.idempotency.call.Refusals;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.Transactions.Transaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls whose work has become a part of their caller's transaction: what becomes of it
 * becomes of their keys. Until then, only the same transaction knows their results.
 */
final class CallerTransaction implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(CallerTransaction.class);

	private final List<Pending> pending = new ArrayList<>();

	private @Nullable IdempotencyKey failed;

	private CallerTransaction() {
	}

	/**
	 * Whether the calling thread is in a transaction.
	 */
	static boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * The call with a key that the current transaction has made already.
	 */
	static @Nullable Pending find(IdempotencyKey key) {
		CallerTransaction current = current();
		if (current != null) {
			for (Pending call : current.pending) {
				if (call.key.equals(key)) {
					return call;
				}
			}
		}
		return null;
	}

	/**
	 * Lets a call share the fate of the current transaction.
	 */
	static void enlist(Pending call) {
		join().pending.add(call);
	}

	/**
	 * A call has failed and is to leave nothing behind: the current transaction must not
	 * be committed, also if its caller goes on.
	 */
	static void forbidCommit(IdempotencyKey key) {
		join().failed = key;
	}

	private static CallerTransaction join() {
		CallerTransaction current = current();
		if (current == null) {
			current = new CallerTransaction();
			TransactionSynchronizationManager.registerSynchronization(current);
		}
		return current;
	}

	private static @Nullable CallerTransaction current() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
				if (present instanceof CallerTransaction transaction) {
					return transaction;
				}
			}
		}
		return null;
	}

	/**
	 * After others have written what they hold back: our records are all that is left.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.failed != null) {
			// No TransactionException: from here, transaction managers take that for the
			// end of the transaction, and roll nothing back
			throw new IllegalStateException(
					"%s has failed in this transaction, and is to leave nothing behind".formatted(this.failed));
		}
		this.pending.forEach(Pending::completeInTransaction);
	}

	@Override
	public void afterCompletion(int status) {
		for (Pending call : this.pending) {
			try {
				call.end(status);
			}
			catch (RuntimeException ex) {
				// The transaction has ended, and its caller is not to be told otherwise
				logger.warn("The result of {} was not stored: {}", call.key, ex.getMessage());
			}
		}
	}

	/**
	 * A call that waits for the end of the transaction.
	 */
	static final class Pending {

		private final IdempotencyKey key;

		private final RunningCall call;

		private final @Nullable Object value;

		private final OperationPolicy policy;

		private final boolean joins;

		private boolean ended;

		Pending(IdempotencyKey key, RunningCall call, @Nullable Object value, OperationPolicy policy, boolean joins) {
			this.key = key;
			this.call = call;
			this.value = value;
			this.policy = policy;
			this.joins = joins;
		}

		@Nullable Object value() {
			return this.value;
		}

		/**
		 * A call that lost its claim must not be committed.
		 */
		private void completeInTransaction() {
			if (!this.joins) {
				return;
			}
			this.ended = true;
			CallState state = this.call.succeededIn(new Surrounding(), this.value);
			if (state instanceof CallState.Refused refused) {
				throw Refusals.toException(refused.decision(), this.policy, this.key);
			}
			if (!(state instanceof CallState.Executed)) {
				throw new IllegalStateException(
						"%s was run by someone else meanwhile, and must not be committed a second time"
							.formatted(this.key));
			}
		}

		private void end(int status) {
			if (this.ended) {
				return;
			}
			this.ended = true;
			switch (status) {
				case STATUS_COMMITTED -> this.call.succeeded(this.value);
				case STATUS_ROLLED_BACK -> this.call.failed();
				default -> this.call.letLeaseRunOut();
			}
		}

	}

	/**
	 * A transaction that its caller ends.
	 */
	private static final class Surrounding implements Transaction {

		@Override
		public void commit() {
			// Its caller's to do
		}

		@Override
		public void rollBack() {
			// What is thrown next does it
		}

	}

}
