package dev.idempotency.call;

import java.util.Objects;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * Steps that run each time, because nothing is protected. The context of their operation
 * is current on the thread of each step.
 *
 * @param context the context of the operation
 */
record UnprotectedSteps(IdempotencyContext context) implements Steps {

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		try (Binding binding = this.context.makeCurrent()) {
			Objects.requireNonNull(binding);
			return work.run();
		}
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return run(name, type, work);
	}

	@Override
	public UnprotectedSteps withOnCrash(OnCrash onCrash) {
		return this;
	}

	@Override
	public UnprotectedSteps transactional() {
		return this;
	}

}
