package dev.idempotency.call;

import dev.idempotency.IdempotencySession;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * Steps and calls that run each time, because nothing is protected.
 */
enum UnprotectedSteps implements Steps, IdempotencySession {

	INSTANCE;

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		return work.run();
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return work.run();
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs, Class<T> type,
			Work<? extends T, X> work) throws X {
		return work.run();
	}

	@Override
	public UnprotectedSteps withOnCrash(OnCrash onCrash) {
		return this;
	}

	@Override
	public boolean forget() {
		return false;
	}

}
