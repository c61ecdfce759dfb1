package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Ending;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls whose work has become a part of their caller's transaction: what becomes of it
 * becomes of their keys. Until then, only the same transaction knows their results.
 */
final class CallerTransaction implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(CallerTransaction.class);

	private final @Nullable TransactionManager manager;

	/**
	 * Whether synchronizations are told of its end, and not only the
	 * {@link TransactionWatch}.
	 */
	private final boolean isSynchronized;

	/**
	 * Whether nobody knows which transaction it is that synchronizations are told of.
	 */
	private final boolean ambiguous;

	private final List<Pending> pending = new ArrayList<>();

	/**
	 * Calls whose work a savepoint has undone.
	 */
	private final List<Pending> undone = new ArrayList<>();

	private final List<Savepoint> savepoints = new ArrayList<>();

	private @Nullable IdempotencyKey failed;

	private boolean commitMayHaveBegun;

	/**
	 * Whether the {@link TransactionWatch} hears of the end too, and why a commit failed.
	 */
	private boolean failureIsTold;

	/**
	 * A transaction that was begun before anyone could hear of it.
	 */
	private CallerTransaction() {
		this.manager = null;
		this.isSynchronized = true;
		this.ambiguous = true;
		this.commitMayHaveBegun = true;
	}

	private CallerTransaction(TransactionManager manager, boolean isSynchronized) {
		this.manager = manager;
		this.isSynchronized = isSynchronized;
		this.ambiguous = false;
	}

	/**
	 * The transaction that the calling thread is in, of the manager of an application's
	 * own transactions.
	 * @return {@code null} if it has ended, and nothing can become a part of it any more
	 */
	static @Nullable CallerTransaction current(@Nullable Transactions transactions) {
		return (transactions != null && transactions.manager() instanceof TransactionManager manager) ? current(manager)
				: unknown();
	}

	/**
	 * The transaction of a manager that the calling thread is in.
	 * @return {@code null} if it has ended, and nothing can become a part of it any more
	 */
	static @Nullable CallerTransaction current(TransactionManager manager) {
		TransactionWatch.Begun begun = TransactionWatch.latestOf(manager);
		if (begun == null) {
			return unknown();
		}
		if (begun.isOver()) {
			return null;
		}
		CallerTransaction calls = begun.calls();
		if (calls == null) {
			calls = new CallerTransaction(manager, begun.isSynchronized());
			begun.follow(calls);
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(calls);
			}
		}
		return calls;
	}

	private static CallerTransaction unknown() {
		for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
			if (present instanceof CallerTransaction calls && calls.ambiguous) {
				return calls;
			}
		}
		CallerTransaction calls = new CallerTransaction();
		TransactionSynchronizationManager.registerSynchronization(calls);
		return calls;
	}

	/**
	 * The call with a key that this transaction has made already.
	 */
	@Nullable Pending find(IdempotencyKey key) {
		for (Pending call : this.undone) {
			if (call.key.equals(key)) {
				// Its savepoint has been rolled back by now, and it may run again
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
	 * Lets a call share the fate of this transaction.
	 */
	void enlist(Pending call) {
		this.pending.add(call);
	}

	/**
	 * A call has failed and is to leave nothing behind: this transaction must not be
	 * committed, also if its caller goes on.
	 */
	void forbidCommit(IdempotencyKey key) {
		this.failed = key;
	}

	/**
	 * After others have written what they hold back.
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
	 * Comes before the savepoint is rolled back: until that is done, the store would wait
	 * for what is undone.
	 */
	@Override
	public void savepointRollback(Object savepoint) {
		TransactionManager rollingBack = TransactionWatch.rollingBack();
		if (rollingBack != null && this.manager != null && rollingBack != this.manager) {
			return;
		}
		// One that nobody has told us of is older than all that we know
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
	 * The transaction is about to be committed, and its watch is told how that ends.
	 */
	void watchedCommitBegins() {
		commitBegins();
		this.failureIsTold = true;
	}

	private void commitBegins() {
		this.commitMayHaveBegun = true;
		if (this.failed != null) {
			// No TransactionException: from here, transaction managers take that for the
			// end of the transaction, and roll nothing back
			throw new IllegalStateException(
					"%s has failed in this transaction, and is to leave nothing behind".formatted(this.failed));
		}
	}

	@Override
	public void afterCompletion(int status) {
		// Synchronizations are not told why a commit failed
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
	 * Managers say that a transaction was rolled back also where a connection broke in
	 * the middle of the commit. What is completed in the same database can be asked.
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
			// The transaction has ended, its caller is not to be told otherwise, and
			// there may be more calls
			logger.warn("The result of {} was not stored: {}", call.key, ex.toString());
			logger.debug("The failure in full", ex);
		}
	}

	/**
	 * Where a savepoint stands between calls.
	 *
	 * @param savepoint the savepoint
	 * @param calls how many calls came before it
	 * @param failed which of them has failed
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

		@Nullable Object value() {
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
				case ROLLED_BACK -> this.call.failed();
				case UNKNOWN -> this.call.letLeaseRunOut();
			}
		}

	}

}
