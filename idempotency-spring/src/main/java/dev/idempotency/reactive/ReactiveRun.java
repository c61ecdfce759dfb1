package dev.idempotency.reactive;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.call.CallState;
import dev.idempotency.call.Calls;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.DecisionHandler;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.PendingDecision;
import dev.idempotency.reactive.ReactiveCalls.Work;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

/**
 * One subscription to work that runs once per key. If the subscriber cancels before the
 * work begins, nothing runs. After that, the work continues.
 */
final class ReactiveRun implements DecisionHandler {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveRun.class);

	private final ReactiveEngine engine;

	private final Calls calls;

	private final Task task;

	private final MonoSink<Object> sink;

	private final Emission<Object> emission;

	private final @Nullable IdempotencyContext enclosing;

	/**
	 * Whether it is decided that the work begins, or that it does not.
	 */
	private final AtomicBoolean settled = new AtomicBoolean();

	private volatile boolean unheard;

	ReactiveRun(ReactiveEngine engine, Calls calls, Task task, MonoSink<Object> sink, Emission<Object> emission) {
		this.engine = engine;
		this.calls = calls;
		this.task = task;
		this.sink = sink;
		this.emission = emission;
		this.enclosing = ReactiveIdempotencyContext.enclosing(sink.contextView());
	}

	void start() {
		PendingDecision pending = this.engine.begin(this.task.attempt(), 0, this, this.sink);
		this.sink.onCancel(() -> {
			this.unheard = true;
			if (this.settled.compareAndSet(false, true)) {
				pending.cancel();
			}
		});
	}

	@Override
	public void decided(Decision decision) {
		CallState state;
		Object value;
		try {
			state = this.calls.begun(decision, this.task.attempt(), this.task.format(), this.enclosing);
			if (state instanceof CallState.Running running) {
				this.emission.goOn(() -> begin(running.call()));
				return;
			}
			value = this.calls.valueOrThrow(state, this.task.attempt());
		}
		catch (Throwable ex) {
			failed(ex);
			return;
		}
		this.emission.success(value);
	}

	@Override
	public void failed(Throwable failure) {
		this.emission.error(failure);
	}

	private void begin(RunningCall call) {
		if (!this.settled.compareAndSet(false, true)) {
			// The subscriber has cancelled, and nothing has run
			end(() -> {
				call.failed();
				return null;
			});
			return;
		}
		Worker worker = new Worker(call);
		try (Binding binding = call.makeCurrent()) {
			Objects.requireNonNull(binding);
			Mono<?> mono = Objects.requireNonNull(this.task.work().begin(call), "the work must return a Mono");
			mono.subscribe(worker);
		}
		catch (Throwable ex) {
			worker.onError(ex);
		}
	}

	private @Nullable Object succeeded(RunningCall call, @Nullable Object value) {
		return this.calls.valueOrThrow(call.succeeded(value), this.task.attempt());
	}

	/**
	 * The work failed.
	 * @return the result of another attempt
	 */
	private @Nullable Object failed(RunningCall call, Throwable failure) throws Exception {
		if (!this.task.work().stores(failure)) {
			FirstFailure.then(failure, call::failed);
			throw asException(failure);
		}
		CallState state = call.failedForGood(failure);
		if (state instanceof CallState.Executed) {
			throw asException(failure);
		}
		return this.calls.valueOrThrow(state, this.task.attempt());
	}

	private static Exception asException(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		return (failure instanceof Exception exception) ? exception : new UndeclaredThrowableException(failure);
	}

	private void end(Callable<? extends @Nullable Object> ending) {
		this.engine.end(this.sink, () -> {
			try {
				return ending.call();
			}
			catch (Throwable ex) {
				if (!this.unheard) {
					throw ex;
				}
				logger.warn("{} failed after its caller had cancelled: {}", this.task.attempt().key(), ex.toString());
				logger.debug("The failure in full", ex);
				return null;
			}
		});
	}

	/**
	 * The task to run.
	 *
	 * @param attempt the attempt
	 * @param format the format of its result
	 * @param work the work
	 */
	record Task(Attempt attempt, ResultFormat format, Work work) {
	}

	/**
	 * Subscribes to the work, independently of the caller.
	 */
	private final class Worker implements CoreSubscriber<Object> {

		private final RunningCall call;

		private final AtomicBoolean ended = new AtomicBoolean();

		private volatile @Nullable Object value;

		private Worker(RunningCall call) {
			this.call = call;
		}

		@Override
		public Context currentContext() {
			return ReactiveIdempotencyContext.bind(Context.of(ReactiveRun.this.sink.contextView()), this.call);
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			subscription.request(Long.MAX_VALUE);
		}

		@Override
		public void onNext(Object next) {
			this.value = next;
		}

		@Override
		public void onError(Throwable failure) {
			if (this.ended.compareAndSet(false, true)) {
				end(() -> failed(this.call, failure));
			}
		}

		@Override
		public void onComplete() {
			if (this.ended.compareAndSet(false, true)) {
				end(() -> succeeded(this.call, this.value));
			}
		}

	}

}
