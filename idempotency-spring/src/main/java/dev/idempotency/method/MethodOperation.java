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
 * How one method is protected, with every default resolved.
 *
 * @param name what its keys are remembered under
 * @param key what its key is made of
 * @param policy how the engine protects it
 * @param format how its result is written and read
 * @param delivery how its result comes
 * @param scope how it goes with transactions
 * @param storeExceptions which of its exceptions are results
 * @param verification whether a vanished attempt has done the work, or {@code null} if
 * nobody can tell
 */
record MethodOperation(String name, MethodKey key, OperationPolicy policy, ResultFormat format, Delivery delivery,
		TransactionScope scope, List<Class<? extends Throwable>> storeExceptions, @Nullable Verification verification) {

	Attempt attempt(@Nullable Object[] arguments) {
		// Whoever can tell what became of a vanished attempt is asked before it is
		// refused
		OperationPolicy terms = (this.verification != null) ? this.policy.withOnCrash(OnCrash.RETRY) : this.policy;
		return new Attempt(this.key.resolve(arguments), Fingerprint.none(), terms);
	}

	KnownOperation.Protection forPeople() {
		return new KnownOperation.Protection(this.key.toString(), true, this.policy,
				this.scope == TransactionScope.JOINS, null);
	}

	/**
	 * Why a call does not run after an attempt that vanished, when nobody knows whether
	 * that did the work.
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
	 * How the result of a method comes.
	 */
	enum Delivery {

		/**
		 * It is returned.
		 */
		NOW,

		/**
		 * By a future, whose work has begun.
		 */
		FUTURE,

		/**
		 * By a Mono, whose work begins with each subscription.
		 */
		MONO

	}

	/**
	 * How a method goes with transactions.
	 */
	enum TransactionScope {

		/**
		 * It is completed when it returns, whatever transaction it is in.
		 */
		NONE,

		/**
		 * Its work takes part in its caller's transaction, and its key is completed after
		 * that.
		 */
		FOLLOWS_CALLER,

		/**
		 * Its work and its completion are one transaction, its caller's or its own.
		 */
		JOINS

	}

}
