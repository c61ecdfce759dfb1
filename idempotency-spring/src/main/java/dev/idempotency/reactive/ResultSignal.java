package dev.idempotency.reactive;

import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Signals a result of the store. The application continues on a thread of Reactor,
 * because store threads are for the store only. That thread may block if the calling
 * thread may, as it would without this library. A result that is available at once is
 * signalled on the calling thread, after the call has returned. An error of the
 * application does not reach the call.
 *
 * @param <T> the type of the result
 */
final class ResultSignal<T> {

	private final MonoSink<T> sink;

	private final Thread asker = Thread.currentThread();

	private final Scheduler scheduler = Schedulers.isInNonBlockingThread() ? Schedulers.parallel()
			: Schedulers.boundedElastic();

	/**
	 * Used by the calling thread only.
	 */
	private boolean asking;

	/**
	 * Used by the calling thread only.
	 */
	private @Nullable Runnable known;

	ResultSignal(MonoSink<T> sink) {
		this.sink = sink;
	}

	/**
	 * Runs a task, whose result is emitted now or later.
	 */
	void after(Runnable question) {
		this.asking = true;
		try {
			question.run();
		}
		catch (Throwable ex) {
			error(ex);
		}
		finally {
			this.asking = false;
		}
		if (this.known != null) {
			this.known.run();
		}
	}

	/**
	 * Emits the result of a call.
	 */
	void emit(Callable<? extends @Nullable T> call) {
		T value;
		try {
			value = call.call();
		}
		catch (Throwable ex) {
			error(ex);
			return;
		}
		success(value);
	}

	void success(@Nullable T value) {
		goOn(() -> this.sink.success(value));
	}

	void error(Throwable failure) {
		goOn(() -> this.sink.error(failure));
	}

	/**
	 * Continues with the application.
	 */
	void goOn(Runnable next) {
		if (Thread.currentThread() == this.asker && this.asking) {
			this.known = next;
			return;
		}
		try {
			this.scheduler.schedule(next);
		}
		catch (RejectedExecutionException ex) {
			// Reactor is shut down or overloaded
			next.run();
		}
	}

}
