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
 * What others bind to threads, such as the current observation, and Reactor keeps in its
 * context. It is bound while the engine looks at the calling thread, and while the store
 * is asked, if Micrometer's context propagation is there. Reactor does that for each of
 * its handlers, in whatever mode.
 */
final class ThreadBound {

	private static final boolean PRESENT = ClassUtils.isPresent("io.micrometer.context.ContextSnapshot",
			ThreadBound.class.getClassLoader());

	private final ContextView context;

	/**
	 * Create what binds.
	 * @param context what a subscriber has
	 */
	ThreadBound(ContextView context) {
		this.context = context;
	}

	/**
	 * Runs a task, whose failure is thrown as it is.
	 */
	private void run(Runnable task) {
		get(() -> {
			task.run();
			return task;
		});
	}

	/**
	 * Asks for something. What fails is thrown as it is.
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
				// Reactor would wrap some, and log others
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
		return Objects.requireNonNull(answer.get(), "Reactor did not ask");
	}

	private boolean isNeeded() {
		return PRESENT && !this.context.isEmpty();
	}

	/**
	 * The same executor, for what this subscriber wants.
	 */
	Executor on(Executor executor) {
		return isNeeded() ? (task) -> executor.execute(() -> run(task)) : executor;
	}

	/**
	 * The same threads, for what this subscriber wants.
	 */
	DecisionThreads on(DecisionThreads threads) {
		return isNeeded() ? new DecisionThreads(on(threads.claims()), on(threads.looks()), on(threads.endings()))
				: threads;
	}

}
