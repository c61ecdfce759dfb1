package dev.idempotency.test;

import java.time.Duration;
import java.util.concurrent.Callable;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.FaultPlan;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * Simulates in a test what an application must withstand in production: time that passes,
 * attempts that crash, a store that fails. It works with any store, and is a bean if
 * {@link TestIdempotencyConfiguration} is imported.
 */
public final class TestIdempotency {

	private static final FaultPlan NO_FAULTS = (verb) -> Fault.NONE;

	private final Crash crash = new Crash();

	private final MovableClock clock;

	private volatile FaultPlan plan = NO_FAULTS;

	private volatile boolean inMemory;

	TestIdempotency(MovableClock clock) {
		this.clock = clock;
	}

	/**
	 * Wraps the application's store.
	 */
	IdempotencyStore around(IdempotencyStore store) {
		this.inMemory = AopProxyUtils
			.ultimateTargetClass(StoreProxy.innermost(store)) == InMemoryIdempotencyStore.class;
		return FaultInjectingStore.around(StoreProxy.around(store, this.crash), (verb) -> this.plan.next(verb));
	}

	/**
	 * Lets time pass for the store in memory, so that leases and records expire.
	 * @param duration how much
	 * @throws IllegalStateException if the application has another store: the clock of a
	 * database or a Redis cannot be moved
	 */
	public void pass(Duration duration) {
		if (!this.inMemory) {
			throw new IllegalStateException("Only the time of the store in memory can be moved: set "
					+ "idempotency.store=memory in this test, forget the key (Idempotency.forget), or set a short ttl");
		}
		this.clock.advance(duration);
	}

	/**
	 * Sends a request whose attempt crashes after its handler has done its work and
	 * before the response is stored. Its key stays claimed, and its lease expires: the
	 * next request is the next attempt. In a transactional handler, the work is rolled
	 * back. The response of this request means nothing, since the client of a crashed
	 * process gets none.
	 * @param request sends the request; an exception is considered a part of the crash
	 */
	public void crashAfterWork(Callable<?> request) {
		crash(Crash.Moment.AFTER_WORK, request);
	}

	/**
	 * Sends a request whose attempt crashes before its handler is reached. Its key stays
	 * claimed, and its lease expires: the next request is the next attempt.
	 * @param request sends the request; an exception is considered a part of the crash
	 */
	public void crashBeforeWork(Callable<?> request) {
		crash(Crash.Moment.BEFORE_WORK, request);
	}

	private void crash(Crash.Moment moment, Callable<?> request) {
		this.crash.plan(moment);
		boolean crashed;
		Exception failure = null;
		try {
			request.call();
		}
		catch (Exception ex) {
			failure = ex;
		}
		finally {
			crashed = this.crash.cancel();
		}
		if (!crashed) {
			throw new AssertionError("No attempt began that could crash: is the handler protected, and is the "
					+ "request the first one with its key?", failure);
		}
		endLease();
	}

	private void endLease() {
		if (this.inMemory) {
			this.clock.advance(Crash.LEASE);
		}
		else {
			StoreTime.real().pass(Crash.LEASE.multipliedBy(2));
		}
	}

	/**
	 * Sends a request while the store fails in one way.
	 * @param <T> the type of the result
	 * @param verb the verb that fails
	 * @param fault whether it fails before or after it has taken effect
	 * @param request sends the request
	 * @return the result of the request
	 * @throws Exception if the request fails
	 */
	public <T extends @Nullable Object> T failing(StoreVerb verb, Fault fault, Callable<T> request) throws Exception {
		this.plan = (asked) -> (asked == verb) ? fault : Fault.NONE;
		try {
			return request.call();
		}
		finally {
			this.plan = NO_FAULTS;
		}
	}

}
