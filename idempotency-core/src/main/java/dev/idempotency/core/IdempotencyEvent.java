package dev.idempotency.core;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * An event of an operation.
 */
public sealed interface IdempotencyEvent {

	/**
	 * The operation of the event.
	 * @return what the key protects, such as {@code POST /payments}
	 */
	String operation();

	/**
	 * A request was rejected before its key was looked up.
	 *
	 * @param reason what was wrong with it
	 * @param enforced {@code false} if the operation ran nevertheless, in observe mode
	 */
	record Rejected(String operation, Reason reason, boolean enforced) implements IdempotencyEvent {
	}

	/**
	 * An event of a key.
	 */
	sealed interface OfKey extends IdempotencyEvent {

		/**
		 * The key of the event.
		 */
		IdempotencyKey key();

		@Override
		default String operation() {
			return key().scope().operation();
		}

	}

	/**
	 * The engine has decided about an attempt.
	 *
	 * @param attempt the number of the attempt, or 0 if it does not run
	 * @param answer the decision, or {@code null} if it runs; in observe mode, the
	 * decision that would have been enforced
	 * @param enforced {@code false} if the operation ran nevertheless, in observe mode
	 */
	record Decided(IdempotencyKey key, int attempt, Decision.@Nullable Answer answer,
			boolean enforced) implements OfKey {
	}

	/**
	 * Nothing could be decided about an attempt, and it did not run: the store failed, or
	 * the stored result cannot be read.
	 *
	 * @param cause the exception that the caller got, or an exception around it if it was
	 * an error
	 */
	record Undecided(IdempotencyKey key, IdempotencyException cause) implements OfKey {
	}

	/**
	 * An operation runs without protection, because the store failed.
	 */
	record RanUnprotected(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An execution has finished with a result.
	 *
	 * @param completion how it was completed
	 */
	record Finished(IdempotencyKey key, Completion completion) implements OfKey {
	}

	/**
	 * An execution ended without a result and released its key.
	 */
	record Released(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An execution ended and has reported that it is unknown whether it did its work. The
	 * next attempt may begin at once, and knows.
	 *
	 * @param attempt its number
	 */
	record OutcomeUnknown(IdempotencyKey key, int attempt) implements OfKey {
	}

	/**
	 * An execution ended without a result and could not release its key: the store
	 * failed, or the claim is lost.
	 */
	record NotReleased(IdempotencyKey key) implements OfKey {
	}

	/**
	 * The lease of an execution is no longer renewed, because it is unknown whether the
	 * execution will finish. It still may.
	 */
	record Abandoned(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An attempt has taken a key over. The earlier attempt did not complete, and may have
	 * done the work.
	 *
	 * @param attempt its number, 2 or more
	 */
	record TakenOver(IdempotencyKey key, int attempt) implements OfKey {
	}

	/**
	 * An abandoned key was settled.
	 *
	 * @param id the id of the record
	 * @param conclusion what was found out about the attempt
	 */
	record Settled(String operation, RecordId id, Conclusion conclusion) implements IdempotencyEvent {
	}

	/**
	 * A key was forgotten, in any state.
	 *
	 * @param id the id of the record
	 */
	record Forgotten(String operation, RecordId id) implements IdempotencyEvent {
	}

	/**
	 * An execution that is still running has lost its claim.
	 */
	record ClaimLost(IdempotencyKey key) implements OfKey {
	}

	/**
	 * The store failed.
	 *
	 * @param verb the failed call
	 * @param cause the exception of the store
	 */
	record StoreFailed(IdempotencyKey key, StoreVerb verb, Throwable cause) implements OfKey {
	}

}
