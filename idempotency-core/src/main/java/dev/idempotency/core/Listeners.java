package dev.idempotency.core;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hooks of the engine, with their failures contained.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyListener.class);

	private final EngineHooks hooks;

	/**
	 * Receives the events of one attempt only.
	 */
	private final @Nullable IdempotencyListener follower;

	private final Set<Object> failed;

	Listeners(EngineHooks hooks) {
		this(hooks, null, ConcurrentHashMap.newKeySet());
	}

	private Listeners(EngineHooks hooks, @Nullable IdempotencyListener follower, Set<Object> failed) {
		this.hooks = hooks;
		this.follower = follower;
		this.failed = failed;
	}

	/**
	 * These listeners, and the observer's listener for an attempt that begins.
	 */
	Listeners following(IdempotencyKey key) {
		AttemptObserver observer = this.hooks.observer();
		if (observer == null) {
			return this;
		}
		try {
			IdempotencyListener attempt = observer.begin(key);
			return (attempt != null) ? new Listeners(this.hooks, attempt, this.failed) : this;
		}
		catch (Throwable ex) {
			contained(observer, ex);
			return this;
		}
	}

	/**
	 * Publishes an event to all listeners, also when one of them fails with an error that
	 * cannot be contained: the others may hold resources until they receive the final
	 * event.
	 */
	void publish(IdempotencyEvent event) {
		Error first = null;
		for (IdempotencyListener listener : this.hooks.listeners()) {
			first = tell(listener, event, listener, first);
		}
		if (this.follower != null) {
			first = tell(this.follower, event, this.hooks.observer(), first);
		}
		if (first != null) {
			throw first;
		}
	}

	/**
	 * Calls one listener.
	 * @return the first error that cannot be contained, so far
	 */
	private @Nullable Error tell(IdempotencyListener listener, IdempotencyEvent event, @Nullable Object culprit,
			@Nullable Error first) {
		try {
			listener.onEvent(event);
		}
		catch (Throwable ex) {
			try {
				contained((culprit != null) ? culprit : listener, ex);
			}
			catch (Error error) {
				return (first != null) ? first : error;
			}
		}
		return first;
	}

	/**
	 * The trace of the calling thread.
	 */
	@Nullable String currentTrace() {
		TraceSource traces = this.hooks.traces();
		if (traces == null) {
			return null;
		}
		try {
			String trace = traces.currentTrace();
			return (trace != null && trace.length() <= ClaimTerms.MAX_TRACE) ? trace : null;
		}
		catch (Throwable ex) {
			contained(traces, ex);
			return null;
		}
	}

	/**
	 * Starts the timer for a call of the store.
	 */
	long startTimer() {
		StoreTimer timer = this.hooks.timer();
		if (timer == null) {
			return 0;
		}
		try {
			return timer.nanoTime();
		}
		catch (Throwable ex) {
			contained(timer, ex);
			return 0;
		}
	}

	void stopTimer(StoreVerb verb, long started, boolean failed) {
		StoreTimer timer = this.hooks.timer();
		if (timer == null) {
			return;
		}
		try {
			timer.asked(verb, timer.nanoTime() - started, failed);
		}
		catch (Throwable ex) {
			contained(timer, ex);
		}
	}

	private void contained(Object culprit, Throwable ex) {
		if (ex instanceof VirtualMachineError error) {
			throw error;
		}
		if (this.failed.add(culprit)) {
			logger.warn("The listener {} failed; the operation continues. Its further failures are logged at DEBUG",
					culprit.getClass().getName(), ex);
		}
		else {
			logger.debug("The listener {} failed again", culprit.getClass().getName(), ex);
		}
	}

}
