package dev.idempotency.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Supplier;

import dev.idempotency.StoredAnswers;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to the key of a handler that has ended, and does it, in the
 * handler's transaction if there is one. Spring MVC and WebFlux share it.
 *
 * <pre>
 * how it ended                          what happens to the key
 * -----------------------------------   ------------------------------------------------
 * outcomeUnknown()                      left to the next attempt, which knows; work is
 *                                       committed below status 400
 * a response that is stored             completed, with the response if all is recorded
 * one that is not, or doNotStore()      released; work is committed below status 400
 * cut off by its client                 completed without the response
 * failed, or broken off by a failure    released, and work is rolled back;
 *                                       where failures are stored: completed without it;
 *                                       if it is unknown what was done: left to the next
 *                                       attempt, which knows
 * a result that cannot be written       completed without it, instead of released
 * a timeout, while a task runs          settled by the end of the task, instead of released
 * a timeout, and nobody tells more      left to its lease, instead of released
 * </pre>
 *
 * On a dry run no key is claimed, and nothing happens.
 */
public final class Settlement {

	/**
	 * The name of the header that tells until when a response is remembered.
	 */
	public static final String EXPIRES = "Idempotency-Expires";

	private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter
		.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
		.withZone(ZoneOffset.UTC);

	private final ProtectedOperation operation;

	private final @Nullable Execution execution;

	private final HandlerTransaction transaction;

	private final @Nullable String expires;

	private volatile boolean remembered;

	private volatile boolean released;

	private volatile boolean unknown;

	private volatile boolean unwritable;

	/**
	 * Tells what the work does, if asynchronous processing has timed out.
	 */
	private volatile @Nullable Supplier<AfterTimeout> timeout;

	/**
	 * Whether the execution was told to complete or release the key.
	 */
	private volatile boolean ended;

	/**
	 * Create a settlement.
	 * @param operation the operation of the handler
	 * @param execution the claim, or {@code null} on a dry run
	 * @param transaction the transaction that the handler runs in, or
	 * {@link HandlerTransaction#NONE}
	 * @param expires until when the response is remembered, or {@code null} if it is not
	 * told
	 */
	public Settlement(ProtectedOperation operation, @Nullable Execution execution, HandlerTransaction transaction,
			@Nullable Instant expires) {
		this.operation = operation;
		this.execution = execution;
		this.transaction = transaction;
		this.expires = (expires != null) ? HTTP_DATE.format(expires) : null;
	}

	/**
	 * Until when the response is remembered, as an HTTP date.
	 * @return the date, or {@code null} if it is not remembered, or not told
	 */
	public @Nullable String expires() {
		return this.remembered ? this.expires : null;
	}

	/**
	 * Nothing is to be stored.
	 */
	public void doNotStore() {
		this.released = true;
	}

	/**
	 * It is unknown whether the handler does its work.
	 */
	public void outcomeUnknown() {
		this.unknown = true;
		if (this.execution != null) {
			this.execution.outcomeIsUnknown();
		}
	}

	/**
	 * The handler has failed. If its response is not stored, some failures leave it
	 * unknown what was done, unless a transaction undoes it.
	 */
	public void handlerFailed(Throwable failure) {
		if (this.execution != null && this.transaction == HandlerTransaction.NONE) {
			this.execution.workFailed(failure);
		}
	}

	/**
	 * The handler has run, and its result cannot be written. It must not run again,
	 * unless its work can be rolled back.
	 */
	public void resultIsUnwritable() {
		this.unwritable = !this.transaction.isActive() && !this.transaction.isRolledBack();
	}

	/**
	 * Whether its result cannot be written.
	 */
	public boolean isUnwritable() {
		return this.unwritable;
	}

	/**
	 * Asynchronous processing has timed out. The response is for this client only: as
	 * long as the work may run, its key is not released.
	 * @param timeout tells what the work does
	 */
	public void timedOut(Supplier<AfterTimeout> timeout) {
		this.timeout = timeout;
	}

	/**
	 * The handler has ended in spite of the timeout, with a response of its own.
	 */
	public void respondedInTime() {
		this.timeout = null;
	}

	/**
	 * Whether asynchronous processing has timed out, and the handler has not ended since.
	 */
	public boolean isTimedOut() {
		return this.timeout != null;
	}

	/**
	 * Whether a task continues after its timeout, and its end settles the key, whatever
	 * becomes of the response to the timeout.
	 */
	public boolean isLeftToTask() {
		Supplier<AfterTimeout> asked = this.timeout;
		return asked != null && !countsFailures() && asked.get() == AfterTimeout.CONTINUES;
	}

	/**
	 * Settles the key of a task that has ended after the response to its timeout, unless
	 * that response was stored.
	 * @param success whether the task succeeded
	 */
	public void settleAfterTimeout(boolean success) {
		if (this.ended) {
			return;
		}
		this.timeout = null;
		if (success && !this.released) {
			complete(null);
		}
		else {
			release(false);
		}
	}

	/**
	 * Whether a failure is stored like any other response.
	 */
	public boolean countsFailures() {
		return this.operation.store() == StoredAnswers.ALL;
	}

	/**
	 * Settles the key of a response that is final.
	 * @param end how it ended
	 * @param stored whether such a response is stored
	 * @param response the response, or {@code null} if it is not recorded as a whole
	 * @return the completion, or {@code null} if the key is not completed
	 */
	public @Nullable Completion settle(End end, int status, boolean stored, @Nullable HttpAnswer response) {
		return switch (end) {
			case CUT_OFF -> complete(null);
			case FAILED -> settleFailure(false);
			case BROKEN_OFF -> settleFailure(status < 400);
			case RESPONDED -> (stored && !this.released && !this.unknown) ? complete(response)
					: mustNotRunAgain() ? complete(null) : release(status < 400);
		};
	}

	/**
	 * Settles the key of a handler that has failed.
	 */
	public @Nullable Completion settleFailure() {
		return settleFailure(false);
	}

	private @Nullable Completion settleFailure(boolean success) {
		return (countsFailures() || mustNotRunAgain()) ? complete(null) : release(success);
	}

	private boolean mustNotRunAgain() {
		return this.unwritable && !this.released;
	}

	/**
	 * Completes the key without the response.
	 */
	public @Nullable Completion keepFact() {
		return complete(null);
	}

	/**
	 * Stops renewing the lease. The key can be taken over when the lease expires.
	 */
	public void letLeaseRunOut() {
		if (this.execution != null) {
			this.execution.letLeaseRunOut();
		}
	}

	/**
	 * The handler has run, and its response is unknown. It must not run again, unless its
	 * work can be rolled back.
	 */
	public void giveUp() {
		if (this.transaction.isActive()) {
			release(false);
		}
		else if (!this.ended) {
			complete(null);
		}
	}

	private @Nullable Completion complete(@Nullable HttpAnswer response) {
		if (this.execution == null || this.ended) {
			return null;
		}
		if (this.unknown) {
			return release(true);
		}
		HttpAnswer kept = (response != null && this.expires != null) ? response.with(EXPIRES, this.expires) : response;
		StoredResult result = (kept != null) ? kept.encode() : null;
		this.ended = true;
		Completion completion = complete(this.execution, this.transaction.take(), result);
		this.remembered = completion.kind() == Completion.Kind.STORED
				|| completion.kind() == Completion.Kind.STORED_WITHOUT_RESULT;
		return completion;
	}

	private static Completion complete(Execution execution, @Nullable Transaction open, @Nullable StoredResult result) {
		if (result == null) {
			return (open != null) ? execution.completeIn(open, null) : execution.complete(null);
		}
		return (open != null) ? execution.completeWith(open, result) : execution.completeWith(result);
	}

	/**
	 * Releases the key, so that a retry runs again. Work that is reported to the client
	 * as successful is committed, and other work is rolled back.
	 */
	private @Nullable Completion release(boolean success) {
		if (this.execution == null) {
			this.transaction.rollBack();
			return null;
		}
		Supplier<AfterTimeout> asked = this.timeout;
		AfterTimeout work = (asked != null) ? asked.get() : AfterTimeout.FAILED;
		if (work == AfterTimeout.SUCCEEDED && !this.unknown) {
			return complete(null);
		}
		if (work == AfterTimeout.UNKNOWN) {
			this.execution.letLeaseRunOut();
		}
		if (work == AfterTimeout.UNKNOWN || work == AfterTimeout.CONTINUES) {
			return null;
		}
		this.ended = true;
		Transaction open = success ? this.transaction.take() : null;
		if (open != null) {
			return this.execution.closeIn(open);
		}
		try {
			this.transaction.rollBack();
			return null;
		}
		finally {
			this.execution.close();
		}
	}

	/**
	 * How a handler ends.
	 */
	public enum End {

		/**
		 * With a response, which is complete.
		 */
		RESPONDED,

		/**
		 * Its client disconnected, and its response will not be complete.
		 */
		CUT_OFF,

		/**
		 * It failed, or took too long, after the head of its response was sent.
		 */
		BROKEN_OFF,

		/**
		 * It failed.
		 */
		FAILED

	}

	/**
	 * What the work does after the response to a timeout.
	 */
	public enum AfterTimeout {

		/**
		 * It runs, and its end will be known.
		 */
		CONTINUES,

		/**
		 * It has ended meanwhile, and its result was not sent.
		 */
		SUCCEEDED,

		/**
		 * It has failed, or never begins.
		 */
		FAILED,

		/**
		 * Nobody can tell.
		 */
		UNKNOWN

	}

}
