package dev.idempotency.call;

import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Work;
import dev.idempotency.core.Execution;
import dev.idempotency.core.OperationPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Steps that cost nothing until one is run: most operations have none.
 */
final class LazySteps implements OpenSteps {

	private final Calls calls;

	private final Execution execution;

	private final Fingerprint fingerprint;

	private final OperationPolicy policy;

	private final @Nullable IdempotencyContext owner;

	private @Nullable OpenSteps steps;

	/**
	 * Create steps.
	 * @param owner the operation if it is not bound to a thread, or {@code null}
	 */
	LazySteps(Calls calls, Execution execution, Fingerprint fingerprint, OperationPolicy policy,
			@Nullable IdempotencyContext owner) {
		this.owner = owner;
		this.calls = calls;
		this.execution = execution;
		this.fingerprint = fingerprint;
		this.policy = policy;
	}

	private synchronized OpenSteps steps() {
		if (this.steps == null) {
			this.execution.hasSteps();
			this.steps = new RememberedSteps(this.calls,
					this.calls.stepKeys(this.execution.key(), this.fingerprint, this.policy));
		}
		return this.steps;
	}

	/**
	 * Binds the operation to the thread, because a step is a part of it.
	 */
	private Binding bindToThread() {
		IdempotencyContext operation = this.owner;
		return (operation != null && IdempotencyContext.find().isEmpty()) ? operation.makeCurrent() : () -> {
		};
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		try (Binding binding = bindToThread()) {
			Objects.requireNonNull(binding);
			return steps().run(name, type, work);
		}
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		try (Binding binding = bindToThread()) {
			Objects.requireNonNull(binding);
			return steps().run(name, inputs, type, work);
		}
	}

	@Override
	public OpenStep open(String name, ResultType<?> type) {
		return steps().open(name, type);
	}

	@Override
	public OpenStep open(String name, @Nullable Object inputs, ResultType<?> type) {
		return steps().open(name, inputs, type);
	}

	@Override
	public OpenSteps withOnCrash(OnCrash onCrash) {
		return with(steps().withOnCrash(onCrash));
	}

	@Override
	public OpenSteps transactional() {
		return with(steps().transactional());
	}

	private LazySteps with(OpenSteps steps) {
		LazySteps changed = new LazySteps(this.calls, this.execution, this.fingerprint, this.policy, this.owner);
		changed.steps = steps;
		return changed;
	}

	@Override
	public Calls calls() {
		return this.calls;
	}

}
