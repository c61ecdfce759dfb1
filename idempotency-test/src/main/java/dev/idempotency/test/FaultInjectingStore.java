package dev.idempotency.test;

import java.time.Duration;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;

/**
 * A store that fails when it is told to, before or after what it was asked for has taken
 * effect. An object of this class knows the four verbs and nothing else; {@link #around}
 * keeps what else a store can do.
 */
public final class FaultInjectingStore implements IdempotencyStore {

	private final IdempotencyStore store;

	/**
	 * Create a store.
	 * @param store does the work
	 * @param plan says when to fail
	 */
	public FaultInjectingStore(IdempotencyStore store, FaultPlan plan) {
		this.store = around(store, plan);
	}

	/**
	 * Puts faults around a store, which can still do all that it could before: join a
	 * transaction, be looked into, wake up who waits.
	 * @param store does the work
	 * @param plan says when to fail
	 * @return the store, which implements the interfaces of the other one
	 */
	public static IdempotencyStore around(IdempotencyStore store, FaultPlan plan) {
		return StoreProxy.around(store, (invocation) -> {
			StoreVerb verb = StoreProxy.verbOf(invocation.method());
			if (verb == null) {
				return invocation.proceed();
			}
			Fault fault = plan.next(verb);
			failBefore(fault, verb);
			Object answer = invocation.proceed();
			failAfter(fault, verb);
			return answer;
		});
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		return this.store.claim(key, fingerprint, terms);
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return this.store.renew(claim, lease);
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		return this.store.complete(claim, result, atLeast);
	}

	@Override
	public boolean release(Claim claim) {
		return this.store.release(claim);
	}

	private static void failBefore(Fault fault, StoreVerb verb) {
		if (fault == Fault.BEFORE) {
			throw new InjectedFaultException(verb, "before");
		}
		if (fault == Fault.ERROR_BEFORE) {
			throw new InjectedError(verb, "before");
		}
	}

	private static void failAfter(Fault fault, StoreVerb verb) {
		if (fault == Fault.AFTER) {
			throw new InjectedFaultException(verb, "after");
		}
		if (fault == Fault.ERROR_AFTER) {
			throw new InjectedError(verb, "after");
		}
	}

	/**
	 * Says when to fail.
	 */
	@FunctionalInterface
	public interface FaultPlan {

		/**
		 * Says whether the next call is to fail.
		 * @param verb what is asked for
		 * @return the fault
		 */
		Fault next(StoreVerb verb);

	}

	/**
	 * How a call fails.
	 */
	public enum Fault {

		/**
		 * It does not.
		 */
		NONE,

		/**
		 * The question got lost: nothing has changed.
		 */
		BEFORE,

		/**
		 * The answer got lost: the change has been made.
		 */
		AFTER,

		/**
		 * The JVM failed and not the store, such as for want of memory or of a class:
		 * nothing has changed.
		 */
		ERROR_BEFORE,

		/**
		 * The JVM failed and not the store: the change has been made.
		 */
		ERROR_AFTER

	}

	/**
	 * What a call throws that was told to fail.
	 */
	public static final class InjectedFaultException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private InjectedFaultException(StoreVerb verb, String moment) {
			super("%s failed %s its effect, as planned".formatted(verb, moment));
		}

	}

	/**
	 * What a call throws that was told to fail with an error.
	 */
	public static final class InjectedError extends Error {

		private static final long serialVersionUID = 1L;

		private InjectedError(StoreVerb verb, String moment) {
			super("%s failed %s its effect, as planned".formatted(verb, moment));
		}

	}

}
