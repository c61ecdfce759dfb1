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
 * A store that fails as planned, before or after a call has taken effect. An instance of
 * this class supports only the five verbs; {@link #around} keeps the further abilities of
 * a store.
 */
public final class FaultInjectingStore implements IdempotencyStore {

	private final IdempotencyStore store;

	/**
	 * Create a store.
	 * @param store the store to delegate to
	 * @param plan decides when to fail
	 */
	public FaultInjectingStore(IdempotencyStore store, FaultPlan plan) {
		this.store = around(store, plan);
	}

	/**
	 * Adds faults to a store, which keeps its abilities: to join a transaction, to be
	 * inspected, to notify waiting attempts.
	 * @param store the store to delegate to
	 * @param plan decides when to fail
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

	@Override
	public boolean abandon(Claim claim) {
		return this.store.abandon(claim);
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
	 * Decides when to fail.
	 */
	@FunctionalInterface
	public interface FaultPlan {

		/**
		 * Decides whether the next call fails.
		 * @param verb the verb of the call
		 */
		Fault next(StoreVerb verb);

	}

	/**
	 * How a call fails.
	 */
	public enum Fault {

		/**
		 * It does not fail.
		 */
		NONE,

		/**
		 * The request was lost: nothing has changed.
		 */
		BEFORE,

		/**
		 * The reply was lost: the change has been made.
		 */
		AFTER,

		/**
		 * The JVM failed and not the store, for example without memory or with a missing
		 * class: nothing has changed.
		 */
		ERROR_BEFORE,

		/**
		 * The JVM failed and not the store: the change has been made.
		 */
		ERROR_AFTER

	}

	/**
	 * Thrown by a call that fails as planned.
	 */
	public static final class InjectedFaultException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private InjectedFaultException(StoreVerb verb, String moment) {
			super("%s failed %s its effect, as planned".formatted(verb, moment));
		}

	}

	/**
	 * Thrown by a call that fails with an error as planned.
	 */
	public static final class InjectedError extends Error {

		private static final long serialVersionUID = 1L;

		private InjectedError(StoreVerb verb, String moment) {
			super("%s failed %s its effect, as planned".formatted(verb, moment));
		}

	}

}
