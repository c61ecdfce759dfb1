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
 * Lets an attempt vanish as if its process had died: what it has claimed stays claimed,
 * and nothing that it says afterwards reaches the store. Only the attempt itself; its
 * steps are stored like those of any other.
 */
final class Crash implements StoreProxy.Interceptor {

	/**
	 * Nobody waits for the end of a longer one.
	 */
	static final Duration LEASE = Duration.ofMillis(1);

	private final AtomicReference<@Nullable Moment> planned = new AtomicReference<>();

	private final Set<Claim> vanished = ConcurrentHashMap.newKeySet();

	/**
	 * Lets the next attempt vanish.
	 */
	void plan(Moment moment) {
		this.planned.set(moment);
	}

	/**
	 * Lets no attempt vanish any more.
	 * @return whether one has
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
	 * When an attempt vanishes.
	 */
	enum Moment {

		BEFORE_WORK, AFTER_WORK

	}

	/**
	 * Nothing goes on after it, also where an application goes on without its store.
	 */
	private static final class CrashError extends Error {

		private static final long serialVersionUID = 1L;

		private CrashError() {
			super("This attempt has crashed before its work, as planned");
		}

	}

}
