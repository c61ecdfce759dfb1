package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;

/**
 * Something that happened to a key.
 */
public sealed interface IdempotencyEvent {

	/**
	 * The key it happened to.
	 * @return the key
	 */
	IdempotencyKey key();

	/**
	 * The engine has decided about an attempt.
	 *
	 * @param key the key
	 * @param decision what it decided; in observe mode, what it would have
	 * @param enforced {@code false} in observe mode where the operation ran nevertheless
	 */
	record Decided(IdempotencyKey key, Decision decision, boolean enforced) implements IdempotencyEvent {
	}

	/**
	 * An operation runs without protection, because the store failed.
	 *
	 * @param key the key
	 */
	record RanUnprotected(IdempotencyKey key) implements IdempotencyEvent {
	}

	/**
	 * An execution has finished with a result.
	 *
	 * @param key the key
	 * @param completion what became of the result
	 */
	record Finished(IdempotencyKey key, Completion completion) implements IdempotencyEvent {
	}

	/**
	 * An execution gave its key back.
	 *
	 * @param key the key
	 */
	record Released(IdempotencyKey key) implements IdempotencyEvent {
	}

	/**
	 * Someone else has the key of an execution that is still running.
	 *
	 * @param key the key
	 */
	record ClaimLost(IdempotencyKey key) implements IdempotencyEvent {
	}

	/**
	 * The store failed.
	 *
	 * @param key the key
	 * @param verb what was asked of it
	 * @param cause what it threw
	 */
	record StoreFailed(IdempotencyKey key, StoreVerb verb, RuntimeException cause) implements IdempotencyEvent {
	}

}
