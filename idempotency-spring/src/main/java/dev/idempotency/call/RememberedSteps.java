package dev.idempotency.call;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one attempt at an operation.
 */
final class RememberedSteps implements Steps {

	private final Calls calls;

	private final StepKeys keys;

	private final OnCrash onCrash;

	/**
	 * A loop that runs a step for each of its items under one name would do the first
	 * only, and nobody would know.
	 */
	private final Set<String> used;

	RememberedSteps(Calls calls, StepKeys keys) {
		this(calls, keys, OnCrash.RETRY, ConcurrentHashMap.newKeySet());
	}

	private RememberedSteps(Calls calls, StepKeys keys, OnCrash onCrash, Set<String> used) {
		this.calls = calls;
		this.keys = keys;
		this.onCrash = onCrash;
		this.used = used;
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		if (!this.used.add(name)) {
			throw new IllegalStateException(
					"The step \"%s\" was run before in this attempt: give each its own name, or say what it works on: run(name, inputs, type, work)"
						.formatted(name));
		}
		boolean done = false;
		try {
			T result = runOnce(name, null, type, work);
			done = true;
			return result;
		}
		finally {
			if (!done) {
				// An attempt may try a step that failed once more
				this.used.remove(name);
			}
		}
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return runOnce(name, this.calls.codec().digest(inputs), type, work);
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private <T extends @Nullable Object, X extends Exception> T runOnce(String name, byte @Nullable [] inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return (T) this.calls.runOrThrow(this.keys.attempt(name, inputs, this.onCrash), type.type(), work);
	}

	@Override
	public Steps withOnCrash(OnCrash onCrash) {
		return new RememberedSteps(this.calls, this.keys, onCrash, this.used);
	}

}
