package dev.idempotency.core;

import dev.idempotency.IdempotencyStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What became of a finished execution's result.
 *
 * @param kind which of the things that can become of it
 * @param cause what it failed with, if it is {@link Kind#FAILED} or
 * {@link Kind#ROLLED_BACK}
 * @param answer what a retry would be told now, if it is {@link Kind#SUPERSEDED}: a
 * replay of the winner's result, or that it is still running
 */
public record Completion(Kind kind, @Nullable RuntimeException cause, Decision.@Nullable Answer answer) {

	static final Completion JOINED = new Completion(Kind.JOINED, null, null);

	static final Completion UNPROTECTED = new Completion(Kind.UNPROTECTED, null, null);

	private static final Completion STORED = new Completion(Kind.STORED, null, null);

	private static final Completion STORED_WITHOUT_RESULT = new Completion(Kind.STORED_WITHOUT_RESULT, null, null);

	static Completion stored(boolean withResult) {
		return withResult ? STORED : STORED_WITHOUT_RESULT;
	}

	static Completion failed(IdempotencyStoreException cause) {
		return new Completion(Kind.FAILED, cause, null);
	}

	/**
	 * The transaction was not committed.
	 * @param cause what it failed with
	 * @return the completion
	 */
	public static Completion rolledBack(RuntimeException cause) {
		return new Completion(Kind.ROLLED_BACK, cause, null);
	}

	static Completion superseded(Decision.Answer answer) {
		return new Completion(Kind.SUPERSEDED, null, answer);
	}

	/**
	 * What can become of a result.
	 */
	public enum Kind {

		/**
		 * The result is stored: whoever sees it can rely on its replay.
		 */
		STORED,
		/**
		 * The fact that the operation has run is stored: there was no result, or it was
		 * too large.
		 */
		STORED_WITHOUT_RESULT,
		/**
		 * The result has become a part of its caller's transaction, and is stored when
		 * that is committed.
		 */
		JOINED,
		/**
		 * Nothing was to be stored: the operation ran without a claim, because the engine
		 * observes or because the store had failed.
		 */
		UNPROTECTED,
		/**
		 * The store failed. The operation has run and its answer is right; a retry is
		 * held off until the lease is over, unless the result was stored after all.
		 */
		FAILED,
		/**
		 * The transaction was not committed, as far as one can know: nothing of the work
		 * stays, and the key was given back.
		 */
		ROLLED_BACK,
		/**
		 * The execution stalled past its lease and someone else has the key: the answer
		 * is theirs. Work in a transaction was rolled back.
		 */
		SUPERSEDED

	}

}
