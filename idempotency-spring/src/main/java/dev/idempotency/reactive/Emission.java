package dev.idempotency.reactive;

import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Signals what was found out on a thread of the store. What comes after it is the
 * application's, and runs on a thread of Reactor's: threads of the store are for the
 * store. It may be blocked if the thread that asked may be, as it would without us. What
 * is known when the question has been asked is signalled on the thread that asked, and by
 * nobody who would mind an error of what comes after it.
 *
 * @param <T> what is signalled
 */
final class Emission<T> {

	private final MonoSink<T> sink;

	private final Thread asker = Thread.currentThread();

	private final Scheduler scheduler = Schedulers.isInNonBlockingThread() ? Schedulers.parallel()
			: Schedulers.boundedElastic();

	/**
	 * Of the thread that asks.
	 */
	private boolean asking;

	/**
	 * Of the thread that asks.
	 */
	private @Nullable Runnable known;

	Emission(MonoSink<T> sink) {
		this.sink = sink;
	}

	/**
	 * Asks a question, whose answer is emitted now or later.
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
	 * Emits what comes of a call.
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
	 * Goes on with what is the application's.
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
			// Reactor has been shut down, or has too much to do
			next.run();
		}
	}

}
