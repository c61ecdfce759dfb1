package dev.idempotency.call;

import dev.idempotency.IdempotencySession;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * A session whose calls are stored.
 */
record RememberedSession(Calls calls, StepKeys keys, OnCrash onCrash) implements IdempotencySession {

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		byte[] compared = this.calls.codec().digest(inputs);
		return (T) this.calls.runOrThrow(this.keys.attempt(tool, compared, this.onCrash), type.type(), work);
	}

	@Override
	public IdempotencySession withOnCrash(OnCrash onCrash) {
		return new RememberedSession(this.calls, this.keys, onCrash);
	}

	@Override
	public boolean forget() {
		return this.keys.forget();
	}

}
