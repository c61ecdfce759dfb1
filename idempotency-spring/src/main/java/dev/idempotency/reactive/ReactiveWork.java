package dev.idempotency.reactive;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.call.CallState;
import dev.idempotency.call.Calls;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.reactive.ReactiveCalls.Work;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * One subscription to work that runs once per key. If the subscriber cancels before the
 * work begins, nothing runs. After that, the work continues.
 */
final class ReactiveWork implements Outliving.Owner<Object> {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveWork.class);

	private final ReactiveEngine engine;

	private final Calls calls;

	private final Attempt attempt;

	private final ResultFormat format;

	private final Work work;

	private final @Nullable IdempotencyContext enclosing;

	/**
	 * Whether it is decided that the claim is ended here, or that there is none.
	 */
	private final AtomicBoolean settled = new AtomicBoolean();

	/**
	 * Whether the subscriber has cancelled.
	 */
	private volatile boolean unheard;

	ReactiveWork(ReactiveEngine engine, Calls calls, Attempt attempt, ResultFormat format, Work work,
			@Nullable IdempotencyContext enclosing) {
		this.engine = engine;
		this.calls = calls;
		this.attempt = attempt;
		this.format = format;
		this.work = work;
		this.enclosing = enclosing;
	}

	Mono<Object> result() {
		return Mono.fromDirect(
				new Outliving<>(this.engine.begin(this.attempt, this::decided).flatMap(Function.identity()), this));
	}

	/**
	 * Runs on the thread that has decided: what is passed on may be dropped, and then
	 * nothing would end the call.
	 */
	private Mono<Object> decided(Decision decision) {
		CallState state = this.calls.begun(decision, this.attempt, this.format, this.enclosing);
		if (!(state instanceof CallState.Running running)) {
			return Mono.justOrEmpty(this.calls.valueOrThrow(state, this.attempt));
		}
		RunningCall call = running.call();
		if (!this.settled.compareAndSet(false, true)) {
			call.undone();
			return Mono.empty();
		}
		return Mono.defer(() -> this.unheard ? this.engine.end(() -> {
			call.undone();
			return null;
		}) : run(call).flatMap(this.engine::end));
	}

	/**
	 * Runs the work.
	 * @return emits what ends the call, when the work has ended
	 */
	private Mono<Callable<@Nullable Object>> run(RunningCall call) {
		return Mono.create((sink) -> {
			AtomicReference<@Nullable Object> value = new AtomicReference<>();
			try (Binding binding = call.makeCurrent()) {
				Objects.requireNonNull(binding);
				Mono<?> mono = Objects.requireNonNull(this.work.begin(call), "the work must return a Mono");
				Flux.from(mono)
					.subscribe(value::set, (ex) -> sink.success(() -> failed(call, ex)),
							() -> sink.success(() -> succeeded(call, value.get())),
							ReactiveIdempotencyContext.bind(Context.of(sink.contextView()), call));
			}
			catch (Throwable ex) {
				sink.success(() -> failed(call, ex));
			}
		});
	}

	private @Nullable Object succeeded(RunningCall call, @Nullable Object value) {
		return this.calls.valueOrThrow(call.succeeded(value), this.attempt);
	}

	/**
	 * The work failed.
	 * @return the result of another attempt
	 */
	private @Nullable Object failed(RunningCall call, Throwable failure) throws Exception {
		if (!this.work.stores(failure)) {
			FirstFailure.then(failure, () -> call.failed(failure));
			throw asException(failure);
		}
		CallState state = call.failedForGood(failure);
		if (state instanceof CallState.Executed) {
			throw asException(failure);
		}
		return this.calls.valueOrThrow(state, this.attempt);
	}

	private static Exception asException(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		return (failure instanceof Exception exception) ? exception : new UndeclaredThrowableException(failure);
	}

	@Override
	public boolean goesOn() {
		this.unheard = true;
		return !this.settled.compareAndSet(false, true);
	}

	@Override
	public void endedAlone(@Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("{} failed after its caller had cancelled: {}", this.attempt.key(), failure.toString());
			logger.debug("The failure in full", failure);
		}
	}

}
