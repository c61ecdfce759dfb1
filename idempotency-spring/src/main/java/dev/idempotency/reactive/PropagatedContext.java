package dev.idempotency.reactive;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.idempotency.core.DecisionThreads;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * Values that are bound to threads, such as the current observation, and that Reactor
 * keeps in its context. They are bound while the engine reads the calling thread, and
 * while the store runs, if Micrometer's context propagation is present. Reactor does the
 * same for each of its {@code handle} operators, in any mode.
 */
final class PropagatedContext {

	private static final boolean PRESENT = ClassUtils.isPresent("io.micrometer.context.ContextSnapshot",
			PropagatedContext.class.getClassLoader());

	private final ContextView context;

	/**
	 * Create an instance.
	 * @param context the context of a subscriber
	 */
	PropagatedContext(ContextView context) {
		this.context = context;
	}

	/**
	 * Runs a task, and rethrows its failure unchanged.
	 */
	private void run(Runnable task) {
		get(() -> {
			task.run();
			return task;
		});
	}

	/**
	 * Returns a value, and rethrows a failure unchanged.
	 */
	<T> T get(Supplier<T> question) {
		if (!isNeeded()) {
			return question.get();
		}
		AtomicReference<@Nullable T> answer = new AtomicReference<>();
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		Disposable asked = Mono.just(question).handle((given, sink) -> {
			try {
				answer.set(given.get());
			}
			catch (Throwable ex) {
				// Reactor would wrap some failures, and log others
				failure.set(ex);
			}
		}).contextWrite(this.context).subscribe();
		Objects.requireNonNull(asked);
		if (failure.get() instanceof Error error) {
			throw error;
		}
		if (failure.get() instanceof RuntimeException exception) {
			throw exception;
		}
		return Objects.requireNonNull(answer.get(), "Reactor did not run the task");
	}

	private boolean isNeeded() {
		return PRESENT && !this.context.isEmpty();
	}

	/**
	 * The same executor, with the values of this subscriber.
	 */
	Executor on(Executor executor) {
		return isNeeded() ? (task) -> executor.execute(() -> run(task)) : executor;
	}

	/**
	 * The same threads, with the values of this subscriber.
	 */
	DecisionThreads on(DecisionThreads threads) {
		return isNeeded() ? new DecisionThreads(on(threads.claims()), on(threads.looks()), on(threads.endings()))
				: threads;
	}

}
