package dev.idempotency.call;

import java.lang.reflect.Type;
import java.time.Clock;
import java.util.Objects;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.ReplayedFailureException;
import dev.idempotency.Steps;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.Work;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls with Java values as results on the engine.
 */
public final class Calls {

	private final IdempotencyEngine engine;

	private final ResultCodec codec;

	private final Clock clock;

	private final @Nullable CallThreads threads;

	private final Supplier<@Nullable Transactions> transactions;

	/**
	 * Those that the store can join.
	 */
	private volatile @Nullable Transactions joined;

	/**
	 * Create the calls of an application in which all callers block.
	 * @param codec writes and reads results
	 * @param clock measures how long ago something was stored
	 */
	public Calls(IdempotencyEngine engine, ResultCodec codec, Clock clock) {
		this(engine, codec, clock, null, () -> null);
	}

	/**
	 * Create the calls of an application.
	 * @param codec writes and reads results
	 * @param clock measures how long ago something was stored
	 * @param threads the threads that access the store for callers that must not block,
	 * or {@code null} if all callers block
	 * @param transactions called once a call is transactional, or again if that could not
	 * work
	 */
	public Calls(IdempotencyEngine engine, ResultCodec codec, Clock clock, @Nullable CallThreads threads,
			Supplier<@Nullable Transactions> transactions) {
		this.engine = engine;
		this.codec = codec;
		this.clock = clock;
		this.threads = threads;
		this.transactions = transactions;
	}

	/**
	 * The engine.
	 */
	public IdempotencyEngine engine() {
		return this.engine;
	}

	/**
	 * The threads that access the store for callers that must not block.
	 * @throws IllegalStateException if there are none
	 */
	public CallThreads threads() {
		if (this.threads == null) {
			throw new IllegalStateException("There are no threads that access the idempotency store without blocking");
		}
		return this.threads;
	}

	/**
	 * Writes and reads results.
	 */
	public ResultCodec codec() {
		return this.codec;
	}

	/**
	 * Begins a call.
	 * @param format how its result is written and read
	 * @return its state: running, replayed or refused
	 * @throws UnreadableResultException if it has run, and its result does not fit the
	 * format
	 * @throws ReplayedFailureException if it has run, and its failure was stored
	 */
	public CallState begin(Attempt attempt, ResultFormat format) {
		return begun(this.engine.begin(attempt), attempt, format, IdempotencyContext.find().orElse(null));
	}

	/**
	 * Turns a decision into the state of a call.
	 * @param format how its result is written and read
	 * @param enclosing the operation that it is a part of, or {@code null}
	 * @return its state: running, replayed or refused
	 * @throws RuntimeException as {@link #begin} does
	 */
	public CallState begun(Decision decision, Attempt attempt, ResultFormat format,
			@Nullable IdempotencyContext enclosing) {
		if (decision instanceof Decision.Proceed proceed) {
			return new CallState.Running(running(proceed.execution(), attempt, format, enclosing));
		}
		return RunningCall.ofAnswer((Decision.Answer) decision, format, this.engine.qualify(attempt.key()));
	}

	private RunningCall running(Execution execution, Attempt attempt, ResultFormat format,
			@Nullable IdempotencyContext enclosing) {
		try {
			return new RunningCall(execution, format, stepsOf(execution, attempt.fingerprint(), attempt.policy()),
					enclosing);
		}
		catch (Throwable ex) {
			// Nothing else would end it
			FirstFailure.then(ex, execution::close);
			throw ex;
		}
	}

	/**
	 * The steps of an operation.
	 * @param fingerprint that of the request: another request has other steps
	 */
	public Steps stepsOf(Execution execution, Fingerprint fingerprint, OperationPolicy policy) {
		return new LazySteps(this, execution, fingerprint, policy, null);
	}

	/**
	 * The steps of an operation that is not bound to a thread.
	 * @param fingerprint that of the request: another request has other steps
	 * @param owner the operation, which is bound to the thread that runs a step
	 */
	public Steps stepsOf(Execution execution, Fingerprint fingerprint, OperationPolicy policy,
			IdempotencyContext owner) {
		return new LazySteps(this, execution, fingerprint, policy, owner);
	}

	StepKeys stepKeys(IdempotencyKey parent, Fingerprint fingerprint, OperationPolicy policy) {
		return new StepKeys(this, this.engine.qualify(parent), fingerprint, policy, this.clock);
	}

	/**
	 * Steps that are not stored, for operations that are not protected.
	 * @param context the context of the operation, which is current while they run
	 */
	public static Steps unprotectedSteps(IdempotencyContext context) {
		return new UnprotectedSteps(context);
	}

	/**
	 * The transactions of steps.
	 * @throws IdempotencyConfigurationException if the store cannot join them
	 */
	Transactions transactions() {
		Transactions known = this.joined;
		if (known == null) {
			Transactions present = this.transactions.get();
			this.engine.requireJoining(present, "A step");
			known = Objects.requireNonNull(present, "checked before");
			this.joined = known;
		}
		return known;
	}

	/**
	 * Claims a key, runs the work and completes the key, all on this thread.
	 * @param transactions those in which the work runs and its key is completed, or
	 * {@code null}
	 */
	<X extends Exception> CallState run(Attempt attempt, ResultFormat format, @Nullable Transactions transactions,
			Work<? extends @Nullable Object, X> work) throws X {
		CallState state = begin(attempt, format);
		if (!(state instanceof CallState.Running running)) {
			return state;
		}
		RunningCall call = running.call();
		return (transactions != null) ? runIn(transactions, call, work) : run(call, work);
	}

	private <X extends Exception> CallState runIn(Transactions transactions, RunningCall call,
			Work<? extends @Nullable Object, X> work) throws X {
		if (this.engine.settings().mode() == Mode.ENFORCE) {
			call.resultIsNeeded();
		}
		Transaction transaction = null;
		Object value;
		try (Binding binding = call.makeCurrent()) {
			Objects.requireNonNull(binding);
			transaction = transactions.begin();
			value = work.run();
		}
		catch (Throwable ex) {
			if (transaction != null) {
				FirstFailure.then(ex, transaction::rollBack);
			}
			// Nothing is left of the work, whatever it failed with
			FirstFailure.then(ex, call::undone);
			throw ex;
		}
		return call.succeededIn(transaction, value);
	}

	private static <X extends Exception> CallState run(RunningCall call, Work<? extends @Nullable Object, X> work)
			throws X {
		Object value;
		try (Binding binding = call.makeCurrent()) {
			Objects.requireNonNull(binding);
			value = work.run();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, () -> call.failed(ex));
			throw ex;
		}
		return call.succeeded(value);
	}

	/**
	 * Runs work, and throws an exception if it does not run and there is no result.
	 */
	<X extends Exception> @Nullable Object runOrThrow(Attempt attempt, Type type, @Nullable Transactions transactions,
			Work<? extends @Nullable Object, X> work) throws X {
		return valueOrThrow(run(attempt, this.codec.forType(type), transactions, work), attempt);
	}

	/**
	 * The value for the caller.
	 * @param state the final state of its call
	 * @return the result of this call or of an earlier one
	 * @throws IdempotencyException if there is none
	 */
	public @Nullable Object valueOrThrow(CallState state, Attempt attempt) {
		if (state instanceof CallState.Refused refused) {
			throw Refusals.toException(refused.refusal(), this.engine.qualify(attempt.key()));
		}
		return valueOf(state);
	}

	private static @Nullable Object valueOf(CallState state) {
		if (state instanceof CallState.Executed executed) {
			return executed.value();
		}
		if (state instanceof CallState.Replayed replayed) {
			return replayed.value();
		}
		throw new IllegalArgumentException("%s has no value".formatted(state));
	}

}
