package dev.idempotency.method;

import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyException;
import dev.idempotency.OnCrash;
import dev.idempotency.call.Refusals;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A protected method, with all defaults resolved.
 *
 * @param name the operation of its keys
 * @param key the expression of its key
 * @param format the format of its result
 * @param delivery how it returns its result
 * @param scope how it takes part in transactions
 * @param storeExceptions the exceptions that are results
 * @param verification tells whether a crashed attempt has done the work, or {@code null}
 * if nothing can tell
 */
record MethodOperation(String name, MethodKey key, OperationPolicy policy, ResultFormat format, Delivery delivery,
		TransactionScope scope, List<Class<? extends Throwable>> storeExceptions, @Nullable Verification verification) {

	Attempt attempt(@Nullable Object[] arguments) {
		// A verification runs before the call is refused because of a crashed attempt
		OperationPolicy terms = (this.verification != null) ? this.policy.withOnCrash(OnCrash.RETRY) : this.policy;
		return new Attempt(this.key.resolve(arguments), Fingerprint.none(), terms);
	}

	KnownOperation.Protection forPeople() {
		return new KnownOperation.Protection(this.key.toString(), true, this.policy,
				this.scope == TransactionScope.JOINS, null);
	}

	/**
	 * Why a call does not run after a crashed attempt, if it is unknown whether that one
	 * did the work.
	 * @return {@code null} if it runs
	 */
	@Nullable IdempotencyException refusalIfUnknown(RunningCall call) {
		return (this.policy.onCrash() == OnCrash.REFUSE)
				? Refusals.toException(Decision.Refused.outcomeUnknown(call.attempt() - 1, null), call.key()) : null;
	}

	boolean stores(Throwable failure) {
		return this.storeExceptions.stream().anyMatch((type) -> type.isInstance(failure));
	}

	/**
	 * How a method returns its result.
	 */
	enum Delivery {

		/**
		 * As its return value.
		 */
		NOW,

		/**
		 * By a future whose work has begun.
		 */
		FUTURE,

		/**
		 * By a Mono whose work begins with each subscription.
		 */
		MONO

	}

	/**
	 * How a method takes part in transactions.
	 */
	enum TransactionScope {

		/**
		 * Its key is completed when it returns, whatever transaction it is in.
		 */
		NONE,

		/**
		 * Its work takes part in its caller's transaction, and its key is completed after
		 * the commit.
		 */
		FOLLOWS_CALLER,

		/**
		 * Its work and its completion are in one transaction, its caller's or its own.
		 */
		JOINS

	}

}
