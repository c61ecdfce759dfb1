package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.RunningCall;
import dev.idempotency.call.StoredFailure;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Ending;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls whose work is a part of their caller's transaction. Its end decides about their
 * keys. Until then, only the same transaction sees their results.
 */
final class JoinedCalls implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(JoinedCalls.class);

	private final @Nullable TransactionManager manager;

	/**
	 * Whether synchronizations are notified of its end, and not only the
	 * {@link TransactionWatch}.
	 */
	private final boolean isSynchronized;

	/**
	 * Whether it is unknown of which transaction synchronizations are notified.
	 */
	private final boolean ambiguous;

	private final List<Pending> pending = new ArrayList<>();

	/**
	 * Calls whose work was rolled back to a savepoint.
	 */
	private final List<Pending> undone = new ArrayList<>();

	private final List<Savepoint> savepoints = new ArrayList<>();

	private @Nullable IdempotencyKey failed;

	private boolean commitMayHaveBegun;

	/**
	 * Whether the {@link TransactionWatch} is notified, too, and learns why a commit
	 * failed.
	 */
	private boolean failureIsTold;

	/**
	 * A transaction that began before it could be watched.
	 */
	private JoinedCalls() {
		this.manager = null;
		this.isSynchronized = true;
		this.ambiguous = true;
		this.commitMayHaveBegun = true;
	}

	private JoinedCalls(TransactionManager manager, boolean isSynchronized) {
		this.manager = manager;
		this.isSynchronized = isSynchronized;
		this.ambiguous = false;
	}

	/**
	 * The calling thread's transaction of the manager of the application's own
	 * transactions.
	 * @return {@code null} if it has ended, and no call can join it anymore
	 */
	static @Nullable JoinedCalls current(@Nullable Transactions transactions) {
		return (transactions != null && transactions.manager() instanceof TransactionManager manager) ? current(manager)
				: unknown();
	}

	/**
	 * The calling thread's transaction of a manager.
	 * @return {@code null} if it has ended, and no call can join it anymore
	 */
	static @Nullable JoinedCalls current(TransactionManager manager) {
		TransactionWatch.Begun begun = TransactionWatch.latestOf(manager);
		if (begun == null) {
			return unknown();
		}
		if (begun.isOver()) {
			return null;
		}
		JoinedCalls calls = begun.calls();
		if (calls == null) {
			calls = new JoinedCalls(manager, begun.isSynchronized());
			begun.follow(calls);
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(calls);
			}
		}
		return calls;
	}

	private static JoinedCalls unknown() {
		for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
			if (present instanceof JoinedCalls calls && calls.ambiguous) {
				return calls;
			}
		}
		JoinedCalls calls = new JoinedCalls();
		TransactionSynchronizationManager.registerSynchronization(calls);
		return calls;
	}

	/**
	 * The earlier call with a key in this transaction.
	 */
	@Nullable Pending find(IdempotencyKey key) {
		for (Pending call : this.undone) {
			if (call.key.equals(key)) {
				// It was rolled back to a savepoint by now, and may run again
				call.end(Ending.ROLLED_BACK);
			}
		}
		for (Pending call : this.pending) {
			if (call.key.equals(key)) {
				return call;
			}
		}
		return null;
	}

	/**
	 * Adds a call that ends with this transaction.
	 */
	void enlist(Pending call) {
		this.pending.add(call);
	}

	/**
	 * A call has failed and must leave nothing behind. This transaction must not be
	 * committed, even if its caller continues.
	 */
	void forbidCommit(IdempotencyKey key) {
		this.failed = key;
	}

	/**
	 * After other synchronizations have flushed their writes.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.add(new Savepoint(savepoint, this.pending.size(), this.failed));
	}

	/**
	 * Called before the rollback to the savepoint. Until that is done, the store would
	 * wait for the work that is being undone.
	 */
	@Override
	public void savepointRollback(Object savepoint) {
		TransactionManager rollingBack = TransactionWatch.rollingBack();
		if (rollingBack != null && this.manager != null && rollingBack != this.manager) {
			return;
		}
		// An unknown savepoint is older than all known ones
		Savepoint reached = new Savepoint(savepoint, 0, null);
		for (Savepoint known : this.savepoints) {
			if (known.savepoint == savepoint) {
				reached = known;
			}
		}
		List<Pending> since = this.pending.subList(reached.calls, this.pending.size());
		this.undone.addAll(since);
		since.clear();
		this.failed = reached.failed;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.isSynchronized) {
			commitBegins();
		}
	}

	/**
	 * The transaction is about to be committed, and its watch is notified of the outcome.
	 */
	void watchedCommitBegins() {
		commitBegins();
		this.failureIsTold = true;
	}

	private void commitBegins() {
		this.commitMayHaveBegun = true;
		if (this.failed != null) {
			// No TransactionException: transaction managers would take that for the end
			// of the transaction, and roll nothing back
			throw new IllegalStateException(
					"%s has failed in this transaction, which therefore cannot be committed".formatted(this.failed));
		}
	}

	@Override
	public void afterCompletion(int status) {
		// Synchronizations do not learn why a commit failed
		if (this.isSynchronized && !(status == STATUS_UNKNOWN && this.failureIsTold)) {
			ended(status);
		}
	}

	/**
	 * The transaction has ended.
	 */
	void ended(int status) {
		for (Pending call : this.undone) {
			end(call, Ending.ROLLED_BACK);
		}
		for (Pending call : this.pending) {
			end(call, endingOf(call, status));
		}
	}

	/**
	 * Managers report a rollback even if a connection broke in the middle of the commit.
	 * A completion in the same database can be looked up.
	 */
	private Ending endingOf(Pending call, int status) {
		if (call.joins && this.ambiguous) {
			return Ending.UNKNOWN;
		}
		if (status == STATUS_COMMITTED) {
			return Ending.COMMITTED;
		}
		if (!this.commitMayHaveBegun) {
			return Ending.ROLLED_BACK;
		}
		return (status == STATUS_ROLLED_BACK && !call.joins) ? Ending.ROLLED_BACK : Ending.UNKNOWN;
	}

	private static void end(Pending call, Ending ending) {
		try {
			call.end(ending);
		}
		catch (Throwable ex) {
			// The transaction has ended, so its caller must not get an exception, and
			// there may be more calls
			logger.warn("The result of {} was not stored: {}", call.key, ex.toString());
			logger.debug("The failure in full", ex);
		}
	}

	/**
	 * The position of a savepoint between calls.
	 *
	 * @param calls the number of earlier calls
	 * @param failed the key of the one that has failed
	 */
	private record Savepoint(Object savepoint, int calls, @Nullable IdempotencyKey failed) {
	}

	/**
	 * A call that waits for the end of the transaction.
	 */
	static final class Pending {

		private final IdempotencyKey key;

		private final RunningCall call;

		private final @Nullable Object value;

		private final boolean joins;

		private boolean ended;

		Pending(IdempotencyKey key, RunningCall call, @Nullable Object value, boolean joins) {
			this.key = key;
			this.call = call;
			this.value = value;
			this.joins = joins;
		}

		/**
		 * The result for a further call in the same transaction.
		 * @throws dev.idempotency.ReplayedFailureException if the call failed, and its
		 * failure is the result
		 */
		@Nullable Object value() {
			if (this.value instanceof StoredFailure failure) {
				throw failure.toException();
			}
			return this.value;
		}

		private void end(Ending ending) {
			if (this.ended) {
				return;
			}
			this.ended = true;
			if (this.joins) {
				this.call.transactionEnded(ending);
				return;
			}
			switch (ending) {
				case COMMITTED -> this.call.succeeded(this.value);
				case ROLLED_BACK -> this.call.undone();
				case UNKNOWN -> this.call.letLeaseRunOut();
			}
		}

	}

}
