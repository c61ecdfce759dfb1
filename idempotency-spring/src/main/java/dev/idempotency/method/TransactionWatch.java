package dev.idempotency.method;

import java.sql.SQLException;
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
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Watches the transactions of each thread, of all managers.
 * <p>
 * Synchronizations are not enough. They are notified of the transaction that began last,
 * even if a method takes part in an earlier one, of another manager. Some managers have
 * no synchronizations. Those that are registered while a commit is being prepared are not
 * notified of it.
 */
final class TransactionWatch implements TransactionExecutionListener {

	/**
	 * Classes of SQL states in the standard.
	 */
	private static final String INTEGRITY_VIOLATION = "23";

	private static final String ROLLBACK = "40";

	private static final String COMPLETION_UNKNOWN = "40003";

	private static final ThreadLocal<@Nullable Begun> latest = new ThreadLocal<>();

	private static final ThreadLocal<@Nullable TransactionManager> rollingBack = new ThreadLocal<>();

	private static final ThreadLocal<@Nullable Expected> expected = new ThreadLocal<>();

	private final TransactionManager manager;

	private TransactionWatch(TransactionManager manager) {
		this.manager = manager;
	}

	/**
	 * Watches a manager's transactions from now on.
	 */
	static void watch(ConfigurableTransactionManager manager) {
		Collection<TransactionExecutionListener> present = manager.getTransactionExecutionListeners();
		if (present.stream().noneMatch((listener) -> listener instanceof TransactionWatch)) {
			// A new list, because the present one may be immutable, or shared by managers
			List<TransactionExecutionListener> listeners = new ArrayList<>(present);
			listeners.add(new TransactionWatch(manager));
			manager.setTransactionExecutionListeners(listeners);
		}
	}

	/**
	 * The transaction of a manager that the calling thread began last.
	 * @return {@code null} if none is known
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
	 * The manager whose transaction, or part of one, is being rolled back on the calling
	 * thread.
	 */
	static @Nullable TransactionManager rollingBack() {
		return rollingBack.get();
	}

	/**
	 * Expects the transaction, or the savepoint, that a method is about to begin.
	 */
	static OwnTransaction expect(TransactionManager manager) {
		Expected own = new Expected(manager, expected.get());
		expected.set(own);
		return own;
	}

	private static @Nullable Begun latest() {
		Begun begun = latest.get();
		// Listeners are not notified of the end of every transaction that fails
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
		Expected own = expected.get();
		if (failure == null && own != null && own.manager == this.manager) {
			own.begun(transaction);
		}
		if (failure == null && transaction instanceof DefaultTransactionStatus status && status.isNewTransaction()) {
			latest.set(new Begun(this.manager, status, latest()));
		}
	}

	/**
	 * The last chance to refuse a commit.
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Begun begun = latest.get();
		if (begun != null && begun.status == transaction) {
			begun.commits = true;
			if (begun.calls != null) {
				begun.calls.watchedCommitBegins();
			}
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		Expected own = expected.get();
		if (failure == null && own != null && own.begun == transaction) {
			if (transaction.isNewTransaction()) {
				own.committed();
			}
			else {
				own.kept();
			}
		}
		ended(transaction, statusAfterCommit(failure));
	}

	private static int statusAfterCommit(@Nullable Throwable failure) {
		if (failure == null) {
			return TransactionSynchronization.STATUS_COMMITTED;
		}
		return isRollback(failure) ? TransactionSynchronization.STATUS_ROLLED_BACK
				: TransactionSynchronization.STATUS_UNKNOWN;
	}

	/**
	 * Whether a database has reported that it rolled back instead of committing: because
	 * of a deferred constraint, or of a conflict with another transaction.
	 */
	private static boolean isRollback(Throwable failure) {
		for (Throwable ex = failure; ex != null; ex = ex.getCause()) {
			if (ex instanceof SQLException sqlException) {
				String state = sqlException.getSQLState();
				return state != null && (state.startsWith(INTEGRITY_VIOLATION) || state.startsWith(ROLLBACK))
						&& !state.equals(COMPLETION_UNKNOWN);
			}
		}
		return false;
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		rollingBack.set(this.manager);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		rollingBack.remove();
		Expected own = expected.get();
		if (failure == null && own != null && own.begun == transaction) {
			own.rolledBack();
		}
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
	 * The transaction that a method begins, which is the first one of its manager. The
	 * method may begin others inside. An advice may call the method again after its end.
	 */
	private static final class Expected extends OwnTransaction {

		private final TransactionManager manager;

		private final @Nullable Expected before;

		private @Nullable TransactionExecution begun;

		private Expected(TransactionManager manager, @Nullable Expected before) {
			this.manager = manager;
			this.before = before;
		}

		private void begun(TransactionExecution transaction) {
			if (this.begun == null || this.begun.isCompleted()) {
				this.begun = transaction;
			}
		}

		@Override
		public void close() {
			if (this.before != null) {
				expected.set(this.before);
			}
			else {
				expected.remove();
			}
		}

	}

	/**
	 * A transaction of a thread.
	 */
	static final class Begun {

		private final TransactionManager manager;

		private final DefaultTransactionStatus status;

		private final @Nullable Begun earlier;

		private @Nullable JoinedCalls calls;

		private boolean commits;

		private Begun(TransactionManager manager, DefaultTransactionStatus status, @Nullable Begun earlier) {
			this.manager = manager;
			this.status = status;
			this.earlier = earlier;
		}

		/**
		 * The calls that wait for its end.
		 */
		@Nullable JoinedCalls calls() {
			return this.calls;
		}

		void follow(JoinedCalls calls) {
			this.calls = calls;
		}

		/**
		 * Whether it was committed or rolled back, and only its resources remain until
		 * all synchronizations are notified: nothing commits further work.
		 */
		boolean isOver() {
			return this.commits || (isSynchronized() && !TransactionSynchronizationManager.isSynchronizationActive());
		}

		/**
		 * Whether synchronizations that are registered now are notified of its end.
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
