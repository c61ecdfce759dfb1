package dev.idempotency.call;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call that holds its key, and the context of its work. It ends once.
 */
public final class RunningCall implements IdempotencyContext {

	private static final Logger logger = LoggerFactory.getLogger(RunningCall.class);

	private final Execution execution;

	private final ResultFormat format;

	private final Steps steps;

	/**
	 * The operation that this call is a part of.
	 */
	private final @Nullable IdempotencyContext enclosing;

	private volatile boolean released;

	private boolean resultNeeded;

	RunningCall(Execution execution, ResultFormat format, Steps steps, @Nullable IdempotencyContext enclosing) {
		this.execution = execution;
		this.format = format;
		this.steps = steps;
		this.enclosing = enclosing;
	}

	@Override
	public IdempotencyKey key() {
		return this.execution.key();
	}

	@Override
	public int attempt() {
		return this.execution.attempt();
	}

	/**
	 * A call has no client, but the operation that it is a part of may have one.
	 */
	@Override
	public void effect(Effect effect) {
		if (this.enclosing != null) {
			this.enclosing.effect(effect);
		}
	}

	@Override
	public void doNotStore() {
		this.released = true;
	}

	@Override
	public void outcomeUnknown() {
		this.execution.outcomeIsUnknown();
		this.released = true;
	}

	@Override
	public Steps steps() {
		return this.steps;
	}

	/**
	 * The work is of no use without its result. If that cannot be stored,
	 * {@link #succeededIn} undoes the work.
	 */
	void resultIsNeeded() {
		this.resultNeeded = true;
		this.execution.resultIsNeeded();
	}

	/**
	 * The work is done. It must not run again, even if an error prevents its result from
	 * being written.
	 * @param value its result, which may be a {@link StoredFailure}
	 * @return the state for the caller: this value, or that of a takeover
	 */
	public CallState succeeded(@Nullable Object value) {
		if (this.released) {
			this.execution.close();
			return new CallState.Executed(value);
		}
		byte[] payload;
		try {
			payload = payloadOf(value);
		}
		catch (Error ex) {
			FirstFailure.then(ex, () -> this.execution.complete(null));
			throw ex;
		}
		return settled(this.execution.complete(payload), value);
	}

	/**
	 * The work is done, and its result is unknown.
	 */
	public void succeededWithoutResult() {
		if (this.released) {
			this.execution.close();
		}
		else {
			this.execution.complete(null);
		}
	}

	/**
	 * The work is done, in a transaction, which ends here in any case.
	 * @param value its result
	 * @param transaction the transaction of the calling thread
	 * @return the state for the caller: this value, or that of a takeover
	 * @throws RuntimeException if the transaction could not be committed, or the result
	 * is needed and could not be stored
	 */
	public CallState succeededIn(Transaction transaction, @Nullable Object value) {
		if (this.released) {
			return settled(this.execution.closeIn(transaction), value);
		}
		byte[] payload;
		try {
			payload = payloadOf(value);
		}
		catch (RuntimeException | Error ex) {
			FirstFailure.then(ex, transaction::rollBack);
			FirstFailure.then(ex, this.execution::close);
			throw ex;
		}
		return settled(this.execution.completeIn(transaction, payload), value);
	}

	/**
	 * The work is done, in the transaction of the caller, who ends it.
	 * @param value its result, which may be a {@link StoredFailure}
	 * @return the state for the caller: this value, or that of an attempt that has taken
	 * over the key, and then the transaction must be rolled back
	 */
	public CallState joinTransaction(@Nullable Object value) {
		return settled(
				this.released ? this.execution.holdTransaction() : this.execution.joinTransaction(payloadOf(value)),
				value);
	}

	/**
	 * The transaction of the work has ended.
	 * @param ending how it ended
	 */
	public void transactionEnded(Ending ending) {
		this.execution.transactionEnded(ending);
	}

	/**
	 * The work failed, and the next attempt runs. After some failures it is unknown
	 * whether the work was done.
	 */
	public void failed(Throwable failure) {
		this.execution.workFailed(failure);
		this.execution.close();
	}

	/**
	 * The work was not done, and the next attempt runs.
	 */
	public void undone() {
		this.execution.close();
	}

	/**
	 * The work failed, and would fail each time, so that the failure is its result.
	 * @return {@link CallState.Executed} if the caller gets this failure
	 */
	public CallState failedForGood(Throwable failure) {
		try {
			return succeeded(StoredFailure.of(failure));
		}
		catch (Error ex) {
			// The caller gets the failure, which came first
			FirstFailure.then(failure, () -> {
				throw ex;
			});
			return new CallState.Executed(null);
		}
	}

	/**
	 * It is unknown whether the work counts. The key is free when its lease expires.
	 */
	public void letLeaseRunOut() {
		this.execution.letLeaseRunOut();
	}

	private byte @Nullable [] payloadOf(@Nullable Object value) {
		try {
			return this.format.write(value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			if (this.resultNeeded) {
				throw new IllegalStateException(
						("The work of %s is rolled back, because its result cannot be stored: a %s cannot be written as "
								+ "JSON and read back. Return a value that Jackson can write and read, or return nothing.")
							.formatted(key(), (value != null) ? value.getClass().getName() : "null"),
						ex);
			}
			logger.warn(
					"The result of {} is not stored and cannot be replayed: a {} cannot be written as JSON and "
							+ "read back. Return a value that Jackson can write and read, or return nothing.",
					key(), (value != null) ? value.getClass().getName() : "null");
			logger.debug("The failure in full", ex);
			return null;
		}
	}

	private CallState settled(Completion completion, @Nullable Object value) {
		RuntimeException commitFailure = completion.commitFailure();
		if (commitFailure != null) {
			throw commitFailure;
		}
		return (completion.answer() != null) ? ofAnswer(completion.answer(), this.format, key())
				: new CallState.Executed(value);
	}

	/**
	 * Turns a {@code Decision.Answer} into the state for a caller.
	 */
	static CallState ofAnswer(Decision.Answer answer, ResultFormat format, IdempotencyKey key) {
		if (answer instanceof Decision.Refused refused) {
			return new CallState.Refused(refused);
		}
		try {
			return new CallState.Replayed(format.read(((Decision.Replay) answer).result().payload()));
		}
		catch (UnreadableResultException ex) {
			throw new UnreadableResultException("%s has run, and %s".formatted(key, ex.getMessage()));
		}
	}

}
