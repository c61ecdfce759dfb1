package dev.idempotency.call;

import java.util.Objects;

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
 * A call that has its key, and what its work can know and say while it runs. It ends
 * once.
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
	 * A call has no client to be told; the operation that it is a part of may have.
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
	public Steps steps() {
		return this.steps;
	}

	/**
	 * The work is done. It must not run again, also if an error keeps its result from
	 * being written.
	 * @param value what came of it
	 * @return what the caller gets: this value, or that of whoever has the key by now
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
	 * The work is done, and what came of it is not known.
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
	 * The work is done, in a transaction, which ends here, whatever happens.
	 * @param value what came of it
	 * @param transaction the transaction that the calling thread is in
	 * @return what the caller gets: this value, or that of whoever has the key by now
	 * @throws RuntimeException if the transaction could not be committed
	 */
	public CallState succeededIn(Transaction transaction, @Nullable Object value) {
		if (this.released) {
			commitAndGiveBack(transaction);
			return new CallState.Executed(value);
		}
		byte[] payload;
		try {
			payload = payloadOf(value);
		}
		catch (Error ex) {
			FirstFailure.then(ex, transaction::rollBack);
			FirstFailure.then(ex, this.execution::close);
			throw ex;
		}
		return settled(this.execution.completeIn(transaction, payload), value);
	}

	private void commitAndGiveBack(Transaction transaction) {
		try {
			transaction.commit();
		}
		catch (Throwable ex) {
			if (ex instanceof Error) {
				FirstFailure.then(ex, transaction::rollBack);
			}
			FirstFailure.then(ex, this.execution::close);
			throw ex;
		}
		this.execution.close();
	}

	/**
	 * The work is done, in the transaction of its caller, who is to end it.
	 * @param value what came of it
	 * @return what the caller gets: this value, or that of whoever has the key by now,
	 * and then the transaction must be rolled back
	 */
	public CallState joinTransaction(@Nullable Object value) {
		if (this.released) {
			return new CallState.Executed(value);
		}
		return settled(this.execution.joinTransaction(payloadOf(value)), value);
	}

	/**
	 * The transaction that the work was done in has ended.
	 * @param ending how
	 */
	public void transactionEnded(Ending ending) {
		this.execution.transactionEnded(ending);
	}

	/**
	 * The work failed: the next attempt runs.
	 */
	public void failed() {
		this.execution.close();
	}

	/**
	 * The work failed, and will fail each time: the failure counts as its result.
	 * @return {@link CallState.Executed} if the caller is to be told of this failure
	 */
	public CallState failedForGood(Throwable failure) {
		if (this.released) {
			this.execution.close();
			return new CallState.Executed(null);
		}
		byte[] payload;
		try {
			payload = this.format.writeFailure(StoredFailure.of(failure));
		}
		catch (RuntimeException | Error ex) {
			// The failure came first, and is what the caller is told
			FirstFailure.then(failure, () -> {
				throw ex;
			});
			FirstFailure.then(failure, () -> this.execution.complete(null));
			return new CallState.Executed(null);
		}
		return settled(this.execution.complete(payload), null);
	}

	/**
	 * Nobody knows whether the work counts: the key is free when its lease is over.
	 */
	public void letLeaseRunOut() {
		this.execution.letLeaseRunOut();
	}

	private byte @Nullable [] payloadOf(@Nullable Object value) {
		try {
			return this.format.write(value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			logger.warn(
					"The result of {} is not kept, its retries cannot be answered with it: a {} cannot be written as JSON and "
							+ "read back. Return a value that Jackson can write and read, or nothing",
					key(), (value != null) ? value.getClass().getName() : "null");
			logger.debug("The failure in full", ex);
			return null;
		}
	}

	private CallState settled(Completion completion, @Nullable Object value) {
		return switch (completion.kind()) {
			case STORED, STORED_WITHOUT_RESULT, JOINED, UNPROTECTED, FAILED -> new CallState.Executed(value);
			case SUPERSEDED -> ofAnswer(Objects.requireNonNull(completion.answer()), this.format, key());
			case ROLLED_BACK -> throw Objects.requireNonNull(completion.cause());
		};
	}

	/**
	 * What an answer means for a caller.
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
