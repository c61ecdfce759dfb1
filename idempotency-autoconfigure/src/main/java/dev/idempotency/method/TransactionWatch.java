package dev.idempotency.method;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Knows the transactions that a thread is in, of all managers.
 * <p>
 * Synchronizations are not enough to follow one. They are told of the transaction that
 * began last, also by a method whose work is a part of an earlier one, of another
 * manager; some managers have none; and those that come while a commit is being prepared
 * hear of it no more.
 */
final class TransactionWatch implements TransactionExecutionListener {

	private static final ThreadLocal<@Nullable Begun> latest = new ThreadLocal<>();

	private static final ThreadLocal<@Nullable TransactionManager> rollingBack = new ThreadLocal<>();

	private final TransactionManager manager;

	private TransactionWatch(TransactionManager manager) {
		this.manager = manager;
	}

	/**
	 * Hears of a manager's transactions from now on.
	 */
	static void watch(ConfigurableTransactionManager manager) {
		Collection<TransactionExecutionListener> present = manager.getTransactionExecutionListeners();
		if (present.stream().noneMatch((listener) -> listener instanceof TransactionWatch)) {
			// Not added to what is there: that may be immutable, or several managers' own
			List<TransactionExecutionListener> listeners = new ArrayList<>(present);
			listeners.add(new TransactionWatch(manager));
			manager.setTransactionExecutionListeners(listeners);
		}
	}

	/**
	 * The transaction of a manager that the calling thread began last.
	 * @return {@code null} if nobody has heard of one
	 */
	static @Nullable Begun latestOf(@Nullable TransactionManager manager) {
		for (Begun begun = latest(); begun != null; begun = begun.earlier) {
			if (begun.manager == manager) {
				return begun;
			}
		}
		return null;
	}

	/**
	 * Whose transaction, or part of one, is being rolled back on the calling thread.
	 */
	static @Nullable TransactionManager rollingBack() {
		return rollingBack.get();
	}

	private static @Nullable Begun latest() {
		Begun begun = latest.get();
		// The end of one that failed in an odd way is told to nobody
		while (begun != null && begun.status.isCompleted()) {
			end(begun, TransactionSynchronization.STATUS_UNKNOWN);
			begun = begun.earlier;
		}
		return begun;
	}

	private static void end(Begun begun, int status) {
		if (begun.earlier != null) {
			latest.set(begun.earlier);
		}
		else {
			latest.remove();
		}
		if (begun.calls != null) {
			begun.calls.ended(status);
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure == null && transaction instanceof DefaultTransactionStatus status && status.isNewTransaction()) {
			latest.set(new Begun(this.manager, status, latest()));
		}
	}

	/**
	 * The last moment at which a commit can be refused.
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Begun begun = latest.get();
		if (begun != null && begun.status == transaction && begun.calls != null) {
			begun.calls.commitBegins();
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		ended(transaction, (failure == null) ? TransactionSynchronization.STATUS_COMMITTED
				: TransactionSynchronization.STATUS_UNKNOWN);
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		rollingBack.set(this.manager);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		rollingBack.remove();
		ended(transaction, (failure == null) ? TransactionSynchronization.STATUS_ROLLED_BACK
				: TransactionSynchronization.STATUS_UNKNOWN);
	}

	private static void ended(TransactionExecution transaction, int status) {
		Begun begun = latest.get();
		if (begun != null && begun.status == transaction) {
			end(begun, status);
		}
	}

	/**
	 * A transaction that a thread is in.
	 */
	static final class Begun {

		private final TransactionManager manager;

		private final DefaultTransactionStatus status;

		private final @Nullable Begun earlier;

		private @Nullable CallerTransaction calls;

		private Begun(TransactionManager manager, DefaultTransactionStatus status, @Nullable Begun earlier) {
			this.manager = manager;
			this.status = status;
			this.earlier = earlier;
		}

		/**
		 * The calls that wait for its end.
		 */
		@Nullable CallerTransaction calls() {
			return this.calls;
		}

		void follow(CallerTransaction calls) {
			this.calls = calls;
		}

		/**
		 * Whether synchronizations that are registered now are told of its end.
		 */
		boolean isSynchronized() {
			for (Begun begun = latest.get(); begun != null && begun != this; begun = begun.earlier) {
				if (begun.status.isNewSynchronization()) {
					return false;
				}
			}
			return this.status.isNewSynchronization();
		}

	}

}
