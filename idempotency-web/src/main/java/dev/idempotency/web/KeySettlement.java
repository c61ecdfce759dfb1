package dev.idempotency.web;

import dev.idempotency.StoredAnswers;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.EncodedAnswer;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.web.AnswerRecorder.Recorded;
import org.jspecify.annotations.Nullable;

/**
 * Settles the key of a handler, in the handler's transaction if it runs in one. The key
 * is completed with the response, completed without it, or released. On a dry run no key
 * is claimed, and nothing happens.
 */
final class KeySettlement {

	private final ProtectedOperation operation;

	private final @Nullable Execution execution;

	private final HandlerTransaction transaction;

	private final AnswerRecorder recorder;

	private volatile boolean released;

	private volatile @Nullable Interruption interruption;

	private boolean unwritable;

	/**
	 * Whether the execution was told to complete or release the key.
	 */
	private boolean ended;

	KeySettlement(ProtectedOperation operation, @Nullable Execution execution, HandlerTransaction transaction,
			AnswerRecorder recorder) {
		this.operation = operation;
		this.execution = execution;
		this.transaction = transaction;
		this.recorder = recorder;
	}

	/**
	 * Nothing is to be stored.
	 */
	void release() {
		this.released = true;
	}

	/**
	 * The handler has run, and what it returned cannot be written. It must not run again,
	 * unless its work can be rolled back.
	 */
	void answerIsUnwritable() {
		this.unwritable = !this.transaction.isActive() && !this.transaction.isRolledBack();
	}

	/**
	 * The response ended before the handler finished it.
	 */
	void interrupted(Interruption interruption) {
		this.interruption = interruption;
	}

	/**
	 * Settles the key of a response that is final.
	 */
	SettledAnswer settle() {
		try {
			Recorded answer = this.recorder.end();
			return new SettledAnswer(answer, complete(answer), null);
		}
		catch (Throwable ex) {
			// Most likely from the application's own policy
			return notSettled(ex);
		}
	}

	/**
	 * Settles the key of a response that a filter still holds back.
	 * @param status the status of the response
	 */
	SettledAnswer settleUnseen(int status) {
		try {
			boolean stored = this.recorder.isToBeStored(status) && !this.released;
			return new SettledAnswer(null, stored ? keep(null) : giveBack(status < 400), null);
		}
		catch (Throwable ex) {
			return notSettled(ex);
		}
	}

	/**
	 * Settles the key of a handler that ended with an exception.
	 */
	void settleFailure() {
		if (countsFailures() || isCutOff() || mustNotRunAgain()) {
			keep(null);
		}
		else {
			giveBack(false);
		}
	}

	/**
	 * Whether a failure is stored like any other response.
	 */
	boolean countsFailures() {
		return this.operation.store() == StoredAnswers.ALL;
	}

	/**
	 * Completes the key without the response.
	 */
	void keepFact() {
		keep(null);
	}

	/**
	 * Stops renewing the lease. The key can be taken over when the lease expires.
	 */
	void letLeaseRunOut() {
		if (this.execution != null) {
			this.execution.letLeaseRunOut();
		}
	}

	private @Nullable Completion complete(Recorded answer) {
		if (isCutOff()) {
			return keep(null);
		}
		if (!answer.isToBeStored() || this.released || this.interruption == Interruption.FAILURE) {
			return mustNotRunAgain() ? keep(null) : giveBack(answer.isSuccess());
		}
		return keep((this.recorder.isKept() && this.execution != null) ? answer.encode() : null);
	}

	private boolean mustNotRunAgain() {
		return this.unwritable && !this.released;
	}

	/**
	 * Whether the response is incomplete, and the handler must not run again all the
	 * same. Either the client disconnected and the whole body is not recorded, or
	 * failures are stored.
	 */
	private boolean isCutOff() {
		if (this.recorder.isClientGone() && !this.recorder.isKept()) {
			return true;
		}
		return (this.interruption == Interruption.FAILURE) ? countsFailures()
				: this.interruption == Interruption.CLIENT_GONE;
	}

	private @Nullable Completion keep(@Nullable EncodedAnswer answer) {
		if (this.execution == null) {
			return null;
		}
		this.ended = true;
		Transaction open = this.transaction.take();
		if (answer == null) {
			return (open != null) ? this.execution.completeIn(open, null) : this.execution.complete(null);
		}
		return answer.complete(this.execution, open);
	}

	/**
	 * Releases the key, so that a retry runs again. Work that is reported to the client
	 * as successful is committed, and other work is rolled back.
	 */
	private @Nullable Completion giveBack(boolean success) {
		if (this.execution == null) {
			this.transaction.rollBack();
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

	private SettledAnswer notSettled(Throwable failure) {
		FirstFailure.then(failure, this::giveUp);
		return new SettledAnswer(null, null, failure);
	}

	/**
	 * The handler has run, and its response is unknown. It must not run again, unless its
	 * work can be rolled back.
	 */
	private void giveUp() {
		if (this.transaction.isActive()) {
			giveBack(false);
		}
		else if (!this.ended) {
			keep(null);
		}
	}

	/**
	 * What ends a response early.
	 */
	enum Interruption {

		/**
		 * The client disconnected, and the handler was stopped.
		 */
		CLIENT_GONE,

		/**
		 * The handler failed, or took too long, after the head was sent.
		 */
		FAILURE

	}

}
