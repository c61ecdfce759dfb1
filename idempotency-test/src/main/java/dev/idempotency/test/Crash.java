package dev.idempotency.test;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a crash of an attempt's process: its key stays claimed, and no later write of
 * it reaches the store. Steps of the attempt are still stored.
 */
final class Crash implements StoreProxy.Interceptor {

	/**
	 * Short, so that tests do not wait for its end.
	 */
	static final Duration LEASE = Duration.ofMillis(1);

	private final AtomicReference<@Nullable Moment> planned = new AtomicReference<>();

	private final Set<Claim> vanished = ConcurrentHashMap.newKeySet();

	/**
	 * Plans a crash of the next attempt.
	 */
	void plan(Moment moment) {
		this.planned.set(moment);
	}

	/**
	 * Cancels the planned crash.
	 * @return whether an attempt has crashed
	 */
	boolean cancel() {
		return this.planned.getAndSet(null) == null;
	}

	@Override
	public @Nullable Object invoke(StoreProxy.Invocation invocation) throws Throwable {
		StoreVerb verb = StoreProxy.verbOf(invocation.method());
		if (verb == StoreVerb.CLAIM) {
			return claim(invocation);
		}
		if (invocation.arguments().length > 0 && invocation.arguments()[0] instanceof Claim claim
				&& this.vanished.contains(claim)) {
			throw new IllegalStateException("This attempt has crashed, as planned");
		}
		return invocation.proceed();
	}

	private @Nullable Object claim(StoreProxy.Invocation invocation) throws Throwable {
		Moment moment = this.planned.get();
		if (moment == null) {
			return invocation.proceed();
		}
		ClaimTerms terms = (ClaimTerms) invocation.arguments()[2];
		invocation.arguments()[2] = new ClaimTerms(LEASE, terms.ttl(), terms.onCrash(), terms.onReplay(),
				terms.trace());
		Object result = invocation.proceed();
		if (result instanceof ClaimResult.Granted granted && this.planned.compareAndSet(moment, null)) {
			this.vanished.add(granted.claim());
			if (moment == Moment.BEFORE_WORK) {
				throw new CrashError();
			}
		}
		return result;
	}

	/**
	 * When an attempt crashes.
	 */
	enum Moment {

		BEFORE_WORK, AFTER_WORK

	}

	/**
	 * An error, so that the attempt ends also if the application proceeds when its store
	 * fails.
	 */
	private static final class CrashError extends Error {

		private static final long serialVersionUID = 1L;

		private CrashError() {
			super("This attempt has crashed before its work, as planned");
		}

	}

}
