package dev.idempotency.core;

import dev.idempotency.IdempotencyStoreException;

/**
 * What became of a finished execution's result.
 */
public sealed interface Completion {

	/**
	 * Which one it is, to switch over.
	 * @return the kind
	 */
	Kind kind();

	/**
	 * The result is stored: whoever sees it can rely on its replay.
	 *
	 * @param withPayload {@code false} if it was too large and only the fact that the
	 * operation has run was stored
	 */
	record Stored(boolean withPayload) implements Completion {

		@Override
		public Kind kind() {
			return Kind.STORED;
		}

	}

	/**
	 * The result has become a part of its caller's transaction, and is stored when that
	 * is committed.
	 *
	 * @param withPayload {@code false} if only the fact that the operation has run will
	 * be stored
	 */
	record Joined(boolean withPayload) implements Completion {

		@Override
		public Kind kind() {
			return Kind.JOINED;
		}

	}

	/**
	 * Nothing was to be stored: the operation ran without a claim, because the engine
	 * observes or because the store had failed.
	 */
	record Unprotected() implements Completion {

		@Override
		public Kind kind() {
			return Kind.UNPROTECTED;
		}

	}

	/**
	 * The store failed. The operation has run and its answer is right; a retry is held
	 * off until the lease is over, unless the result was stored after all.
	 *
	 * @param cause the failure
	 */
	record Failed(IdempotencyStoreException cause) implements Completion {

		@Override
		public Kind kind() {
			return Kind.FAILED;
		}

	}

	/**
	 * The transaction was not committed, as far as one can know: nothing of the work
	 * stays, and the key was given back.
	 *
	 * @param cause what the transaction, or completing the key in it, failed with
	 */
	record RolledBack(RuntimeException cause) implements Completion {

		@Override
		public Kind kind() {
			return Kind.ROLLED_BACK;
		}

	}

	/**
	 * The execution stalled past its lease and someone else has the key: the answer is
	 * theirs. Work in a transaction was rolled back.
	 *
	 * @param answer what a retry would be told now: a replay of the winner's result, or
	 * that it is still running
	 */
	record Superseded(Decision.Answer answer) implements Completion {

		@Override
		public Kind kind() {
			return Kind.SUPERSEDED;
		}

	}

	/**
	 * The kinds of completions.
	 */
	enum Kind {

		/**
		 * {@link Stored}.
		 */
		STORED,

		/**
		 * {@link Joined}.
		 */
		JOINED,

		/**
		 * {@link Unprotected}.
		 */
		UNPROTECTED,

		/**
		 * {@link Failed}.
		 */
		FAILED,

		/**
		 * {@link RolledBack}.
		 */
		ROLLED_BACK,

		/**
		 * {@link Superseded}.
		 */
		SUPERSEDED

	}

}
