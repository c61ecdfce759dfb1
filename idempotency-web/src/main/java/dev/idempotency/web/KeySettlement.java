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
 * How the key of a handler comes to its end, in the handler's transaction if it runs in
 * one: with its answer, with the fact that there was one, or free again. On a dry run
 * there is no key, and nothing happens.
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
	 * Whether the key was brought to its end, or at least into its execution's hands.
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
	 * Nothing is to be remembered.
	 */
	void release() {
		this.released = true;
	}

	/**
	 * The handler has done its work, and nobody can write what it returned. It must not
	 * run again, unless its work can be undone.
	 */
	void answerIsUnwritable() {
		this.unwritable = !this.transaction.isActive() && !this.transaction.isRolledBack();
	}

	/**
	 * Something ended the answer before the handler did.
	 */
	void interrupted(Interruption interruption) {
		this.interruption = interruption;
	}

	/**
	 * Settles an answer that is final.
	 */
	SettledAnswer settle() {
		try {
			Recorded answer = this.recorder.end();
			return new SettledAnswer(answer, complete(answer), null);
		}
		catch (Throwable ex) {
			// The application's own policy, most likely
			return notSettled(ex);
		}
	}

	/**
	 * Settles an answer that nobody has seen yet.
	 * @param status its status
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
	 * Settles what ended with an exception.
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
	 * Whether a failure is an answer as any other.
	 */
	boolean countsFailures() {
		return this.operation.store() == StoredAnswers.ALL;
	}

	/**
	 * Keeps the fact that there was an answer.
	 */
	void keepFact() {
		keep(null);
	}

	/**
	 * The executor may be gone, or not: the key is free when its lease is over.
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
	 * Whether the answer has no proper end, and the handler must not run again all the
	 * same: the client hung up in the middle of an answer of which nothing is kept, or a
	 * failure counts as an answer too.
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
	 * Gives the key back, so that a retry runs again: what the client is told to have
	 * failed is undone, and what it is told to have succeeded is not.
	 */
	private @Nullable Completion giveBack(boolean success) {
		try {
			if (success) {
				this.transaction.commit();
			}
			return null;
		}
		catch (RuntimeException ex) {
			return Completion.rolledBack(ex);
		}
		finally {
			this.transaction.rollBack();
			if (this.execution != null) {
				this.ended = true;
				this.execution.close();
			}
		}
	}

	private SettledAnswer notSettled(Throwable failure) {
		FirstFailure.then(failure, this::giveUp);
		return new SettledAnswer(null, null, failure);
	}

	/**
	 * The handler has run, and there is no telling its answer: it must not run again,
	 * unless its work can be undone.
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
	 * What ends an answer before its time.
	 */
	enum Interruption {

		/**
		 * Its client hung up, and the handler was stopped.
		 */
		CLIENT_GONE,

		/**
		 * The handler failed, or took too long, after the head was sent.
		 */
		FAILURE

	}

}
