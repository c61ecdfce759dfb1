package dev.idempotency.call;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Work;
import dev.idempotency.core.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one attempt at an operation.
 */
final class RememberedSteps implements OpenSteps {

	private final Calls calls;

	private final StepKeys keys;

	private final OnCrash onCrash;

	/**
	 * Those in which steps run, if they do.
	 */
	private final @Nullable Transactions transactions;

	/**
	 * Names that were used. A loop that runs all its items under one name would silently
	 * run only the first.
	 */
	private final Set<String> used;

	RememberedSteps(Calls calls, StepKeys keys) {
		this(calls, keys, OnCrash.RETRY, null, ConcurrentHashMap.newKeySet());
	}

	private RememberedSteps(Calls calls, StepKeys keys, OnCrash onCrash, @Nullable Transactions transactions,
			Set<String> used) {
		this.calls = calls;
		this.keys = keys;
		this.onCrash = onCrash;
		this.transactions = transactions;
		this.used = used;
	}

	@Override
	public OpenStep open(String name, ResultType<?> type) {
		if (!this.used.add(name)) {
			throw new IllegalStateException(
					"The step \"%s\" was run before in this attempt. Give each step its own name, or pass its inputs: run(name, inputs, type, work)"
						.formatted(name));
		}
		// An attempt may try a failed step again
		Runnable undone = () -> this.used.remove(name);
		try {
			return open(name, null, type, undone);
		}
		catch (Throwable ex) {
			undone.run();
			throw ex;
		}
	}

	@Override
	public OpenStep open(String name, @Nullable Object inputs, ResultType<?> type) {
		return open(name, this.calls.codec().digest(inputs), type, () -> {
		});
	}

	private OpenStep open(String name, byte @Nullable [] inputs, ResultType<?> type, Runnable undone) {
		return new OpenStep(this.keys.attempt(name, inputs, this.onCrash), this.calls.codec().forType(type.type()),
				undone);
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		return run(open(name, type), work);
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return run(open(name, inputs, type), work);
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private <T extends @Nullable Object, X extends Exception> T run(OpenStep step, Work<? extends T, X> work) throws X {
		boolean done = false;
		try {
			T result = (T) this.calls
				.valueOrThrow(this.calls.run(step.attempt(), step.format(), this.transactions, work), step.attempt());
			done = true;
			return result;
		}
		finally {
			if (!done) {
				step.undone().run();
			}
		}
	}

	@Override
	public OpenSteps withOnCrash(OnCrash onCrash) {
		return new RememberedSteps(this.calls, this.keys, onCrash, this.transactions, this.used);
	}

	@Override
	public OpenSteps transactional() {
		return new RememberedSteps(this.calls, this.keys, this.onCrash, this.calls.transactions(), this.used);
	}

	@Override
	public Calls calls() {
		return this.calls;
	}

}
