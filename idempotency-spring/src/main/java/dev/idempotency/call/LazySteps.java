package dev.idempotency.call;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * Steps that cost nothing until one is run: most operations have none.
 */
final class LazySteps implements Steps {

	private final Supplier<Steps> factory;

	private final AtomicReference<@Nullable Steps> steps = new AtomicReference<>();

	LazySteps(Supplier<Steps> factory) {
		this.factory = factory;
	}

	private Steps steps() {
		Steps known = this.steps.get();
		if (known != null) {
			return known;
		}
		Steps created = this.factory.get();
		Steps other = this.steps.compareAndExchange(null, created);
		return (other != null) ? other : created;
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		return steps().run(name, type, work);
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		return steps().run(name, inputs, type, work);
	}

	@Override
	public Steps withOnCrash(OnCrash onCrash) {
		return steps().withOnCrash(onCrash);
	}

}
