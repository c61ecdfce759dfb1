package dev.idempotency.core;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All who watch the engine, none of whom can do harm.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyListener.class);

	private final EngineHooks hooks;

	/**
	 * Hears of one attempt only.
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
	 * The same, and whoever follows an attempt that begins.
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
	 * Tells all of an event, also when one of them fails with an error that cannot be
	 * contained: those behind it may keep something open until they hear of an end.
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
	 * Tells one of them.
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
	 * The trace in which the calling thread works.
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
	 * When the store was asked, for whoever takes its time.
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
			logger.warn("The listener {} failed; the operation goes on. Further failures of it are logged at DEBUG",
					culprit.getClass().getName(), ex);
		}
		else {
			logger.debug("The listener {} failed again", culprit.getClass().getName(), ex);
		}
	}

}
