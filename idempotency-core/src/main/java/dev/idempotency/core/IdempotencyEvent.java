package dev.idempotency.core;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to an operation.
 */
public sealed interface IdempotencyEvent {

	/**
	 * The operation it happened to.
	 * @return what the key protects, such as {@code POST /payments}
	 */
	String operation();

	/**
	 * A request was turned away before its key was looked up.
	 *
	 * @param operation the operation
	 * @param reason what was wrong with it
	 * @param enforced {@code false} in observe mode where the operation ran nevertheless
	 */
	record Rejected(String operation, Reason reason, boolean enforced) implements IdempotencyEvent {
	}

	/**
	 * Something that happened to a key.
	 */
	sealed interface OfKey extends IdempotencyEvent {

		/**
		 * The key it happened to.
		 * @return the key
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
	 * @param key the key
	 * @param attempt the number of the attempt, or 0 if it does not run
	 * @param answer what it is told, or {@code null} if it runs; in observe mode, what it
	 * would have been told
	 * @param enforced {@code false} in observe mode where the operation ran nevertheless
	 */
	record Decided(IdempotencyKey key, int attempt, Decision.@Nullable Answer answer,
			boolean enforced) implements OfKey {
	}

	/**
	 * Nothing could be decided about an attempt, and it did not run: the store failed, or
	 * the result that it remembers cannot be read.
	 *
	 * @param key the key
	 * @param cause what the caller was told, or an exception around it if it was an error
	 */
	record Undecided(IdempotencyKey key, IdempotencyException cause) implements OfKey {
	}

	/**
	 * An operation runs without protection, because the store failed.
	 *
	 * @param key the key
	 */
	record RanUnprotected(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An execution has finished with a result.
	 *
	 * @param key the key
	 * @param completion what became of the result
	 */
	record Finished(IdempotencyKey key, Completion completion) implements OfKey {
	}

	/**
	 * An execution ended without a result and gave its key back.
	 *
	 * @param key the key
	 */
	record Released(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An execution ended without a result and could not give its key back: the store
	 * failed, or someone else has the key.
	 *
	 * @param key the key
	 */
	record NotReleased(IdempotencyKey key) implements OfKey {
	}

	/**
	 * The lease of an execution is renewed no more, because nobody knows whether it will
	 * come to its end. It still may.
	 *
	 * @param key the key
	 */
	record Abandoned(IdempotencyKey key) implements OfKey {
	}

	/**
	 * An attempt begins under a key whose earlier attempt never came to its end, and may
	 * have done the work.
	 *
	 * @param key the key
	 * @param attempt its number, 2 or more
	 */
	record TakenOver(IdempotencyKey key, int attempt) implements OfKey {
	}

	/**
	 * Someone has found out what became of an attempt that vanished, and settled its key.
	 *
	 * @param operation the operation
	 * @param id the name of the record
	 * @param conclusion what was found out
	 */
	record Settled(String operation, RecordId id, Conclusion conclusion) implements IdempotencyEvent {
	}

	/**
	 * Someone has made the store forget a key, whatever state it was in.
	 *
	 * @param operation the operation
	 * @param id the name of the record
	 */
	record Forgotten(String operation, RecordId id) implements IdempotencyEvent {
	}

	/**
	 * Someone else has the key of an execution that is still running.
	 *
	 * @param key the key
	 */
	record ClaimLost(IdempotencyKey key) implements OfKey {
	}

	/**
	 * The store failed.
	 *
	 * @param key the key
	 * @param verb what was asked of it
	 * @param cause what it threw
	 */
	record StoreFailed(IdempotencyKey key, StoreVerb verb, Throwable cause) implements OfKey {
	}

}
