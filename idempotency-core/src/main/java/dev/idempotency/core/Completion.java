package dev.idempotency.core;

import dev.idempotency.IdempotencyStoreException;
import org.jspecify.annotations.Nullable;

/**
 * How an execution was completed.
 *
 * @param kind what happened to the result
 * @param cause why it failed, if it is {@link Kind#FAILED}, {@link Kind#ROLLED_BACK} or
 * {@link Kind#UNKNOWN}; or what the commit threw although it took effect
 * @param answer the decision that a retry would get now, if it is
 * {@link Kind#SUPERSEDED}: a replay of the successor's result, or that the key is in
 * progress
 */
public record Completion(Kind kind, @Nullable RuntimeException cause, Decision.@Nullable Answer answer) {

	static final Completion JOINED = new Completion(Kind.JOINED, null, null);

	static final Completion UNPROTECTED = new Completion(Kind.UNPROTECTED, null, null);

	private static final Completion STORED = new Completion(Kind.STORED, null, null);

	private static final Completion STORED_WITHOUT_RESULT = new Completion(Kind.STORED_WITHOUT_RESULT, null, null);

	static final Completion RELEASED = new Completion(Kind.RELEASED, null, null);

	static Completion stored(boolean withResult) {
		return withResult ? STORED : STORED_WITHOUT_RESULT;
	}

	static Completion failed(IdempotencyStoreException cause) {
		return new Completion(Kind.FAILED, cause, null);
	}

	/**
	 * The same, by a commit that took effect and failed all the same.
	 */
	Completion in(RuntimeException commitFailure) {
		return new Completion(this.kind, commitFailure, null);
	}

	static Completion rolledBack(RuntimeException cause) {
		return new Completion(Kind.ROLLED_BACK, cause, null);
	}

	static Completion unknown(RuntimeException cause) {
		return new Completion(Kind.UNKNOWN, cause, null);
	}

	static Completion superseded(Decision.Answer answer) {
		return new Completion(Kind.SUPERSEDED, null, answer);
	}

	/**
	 * What the commit of the transaction threw, whether or not it took effect.
	 * @return the failure, or {@code null} if there was none
	 */
	public @Nullable RuntimeException commitFailure() {
		return (this.kind != Kind.FAILED) ? this.cause : null;
	}

	/**
	 * What happened to a result.
	 */
	public enum Kind {

		/**
		 * The result is stored and will be replayed.
		 */
		STORED,
		/**
		 * Only the fact that the operation has run is stored: there was no result, or it
		 * could not be stored.
		 */
		STORED_WITHOUT_RESULT,
		/**
		 * The result is a part of the caller's transaction, and is stored when that is
		 * committed.
		 */
		JOINED,
		/**
		 * Nothing is stored: the operation ran without a claim, in observe mode or
		 * because the store had failed.
		 */
		UNPROTECTED,
		/**
		 * The store failed. The operation has run and its result is valid. Retries are
		 * refused until the lease expires, unless the result was stored after all.
		 */
		FAILED,
		/**
		 * The work is committed, and its result is not to be stored. The key was
		 * released.
		 */
		RELEASED,
		/**
		 * The transaction was not committed: the work is undone, and the key was
		 * released.
		 */
		ROLLED_BACK,
		/**
		 * The commit failed, and whether it took effect is unknown. If it did, the result
		 * is stored. If not, a retry runs when the lease has expired.
		 */
		UNKNOWN,
		/**
		 * The execution stalled past its lease, and another attempt has the key and its
		 * result counts. Work in a transaction was rolled back.
		 */
		SUPERSEDED

	}

}
