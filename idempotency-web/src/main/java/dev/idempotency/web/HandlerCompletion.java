package dev.idempotency.web;

import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.Transactions.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * How the key of a handler comes to its end, in the handler's transaction if it runs in
 * one. On a dry run there is no key, and nothing happens.
 */
final class HandlerCompletion {

	private final @Nullable Execution execution;

	private final HandlerTransaction transaction;

	/**
	 * Whether the key was brought to its end, or at least into its execution's hands.
	 */
	private boolean ended;

	HandlerCompletion(@Nullable Execution execution, HandlerTransaction transaction) {
		this.execution = execution;
		this.transaction = transaction;
	}

	/**
	 * Keeps an answer.
	 * @param answer the answer, or {@code null} if only the fact is kept that there was
	 * one
	 */
	@Nullable Completion keep(byte @Nullable [] answer) {
		if (this.execution == null) {
			return null;
		}
		this.ended = true;
		Transaction open = this.transaction.take();
		if (open != null) {
			return (answer != null) ? this.execution.completeIn(open, answer)
					: this.execution.completeWithoutResultIn(open);
		}
		return (answer != null) ? this.execution.complete(answer) : this.execution.completeWithoutResult();
	}

	/**
	 * Gives the key back, so that a retry runs again: what the client is told to have
	 * failed is undone, and what it is told to have succeeded is not.
	 */
	@Nullable Completion giveBack(boolean success) {
		try {
			if (success) {
				this.transaction.commit();
			}
			return null;
		}
		catch (RuntimeException ex) {
			return new Completion.RolledBack(ex);
		}
		finally {
			this.transaction.rollBack();
			if (this.execution != null) {
				this.ended = true;
				this.execution.close();
			}
		}
	}

	/**
	 * The handler has run, and there is no telling its answer: it must not run again,
	 * unless its work can be undone.
	 */
	void giveUp() {
		if (this.transaction.isActive()) {
			giveBack(false);
		}
		else if (!this.ended) {
			keep(null);
		}
	}

	/**
	 * The executor may be gone, or not: the key is free when its lease is over.
	 */
	void letLeaseRunOut() {
		if (this.execution != null) {
			this.execution.letLeaseRunOut();
		}
	}

}
