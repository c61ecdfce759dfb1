package dev.idempotency.transactions;

import java.util.EnumSet;
import java.util.Set;

/**
 * What becomes of the transaction that decides about a protected call, and how.
 */
enum Fate {

	COMMIT(Ending.COMMIT),

	/**
	 * The transaction is committed, and what comes right after it fails.
	 */
	AFTER_COMMIT_THROWS(Ending.COMMIT),

	ROLLBACK_ONLY(Ending.ROLL_BACK),

	/**
	 * Someone else has taken the key meanwhile.
	 */
	CLAIM_LOST(Ending.ROLL_BACK),

	METHOD_THROWS(Ending.ROLL_BACK),

	METHOD_THROWS_CALLER_GOES_ON(Ending.ROLL_BACK),

	/**
	 * The method marks its transaction, or its savepoint, and returns as if nothing had
	 * happened.
	 */
	METHOD_MARKS_AND_RETURNS(Ending.ROLL_BACK),

	CALLER_THROWS(Ending.ROLL_BACK),

	/**
	 * After all others have been asked whether they agree with the commit, someone does
	 * not.
	 */
	SYNCHRONIZATION_THROWS(Ending.COMMIT_FAILS),

	/**
	 * The same at the last moment that Spring knows.
	 */
	LISTENER_THROWS(Ending.COMMIT_FAILS),

	/**
	 * The database refuses the commit.
	 */
	DEFERRED_CONSTRAINT(Ending.COMMIT_FAILS),

	/**
	 * Hibernate writes at the commit, after all others, and fails.
	 */
	FLUSH_FAILS(Ending.COMMIT_FAILS),

	CONNECTION_KILLED(Ending.COMMIT_FAILS),

	CONNECTION_KILLED_AT_COMMIT(Ending.COMMIT_FAILS),

	METHOD_THROWS_ERROR(Ending.ERROR),

	CALLER_THROWS_ERROR(Ending.ERROR),

	SYNCHRONIZATION_THROWS_ERROR(Ending.ERROR),

	LISTENER_THROWS_ERROR(Ending.ERROR),

	AFTER_COMMIT_THROWS_ERROR(Ending.ERROR);

	private final Ending ending;

	Fate(Ending ending) {
		this.ending = ending;
	}

	Ending ending() {
		return this.ending;
	}

	/**
	 * What is to become of work that is protected in some way.
	 */
	Outcome outcome(Protection protection) {
		return (this == CLAIM_LOST && !protection.isCompletedInTransaction()) ? Outcome.ANYTHING : outcome();
	}

	/**
	 * Whether the caller is told of a failure although the work is committed.
	 */
	boolean throwsAfterCommit() {
		return this == AFTER_COMMIT_THROWS || this == AFTER_COMMIT_THROWS_ERROR;
	}

	/**
	 * What is to become of everything else in the transaction.
	 */
	Outcome outcome() {
		return switch (this) {
			case COMMIT, AFTER_COMMIT_THROWS, AFTER_COMMIT_THROWS_ERROR -> Outcome.DONE;
			case CLAIM_LOST -> Outcome.LOST;
			default -> Outcome.UNDONE;
		};
	}

	/**
	 * Whether it strikes while the method runs, whoever calls it.
	 */
	boolean strikesInMethod() {
		return methodFates().contains(this);
	}

	/**
	 * Whether it is arranged for beforehand, as one of the transaction's
	 * synchronizations.
	 */
	boolean isSynchronization() {
		return this == SYNCHRONIZATION_THROWS || this == SYNCHRONIZATION_THROWS_ERROR;
	}

	/**
	 * Whether nobody but the database can know what became of the transaction.
	 */
	boolean losesConnection() {
		return this == CONNECTION_KILLED || this == CONNECTION_KILLED_AT_COMMIT;
	}

	/**
	 * Whether somebody says that the transaction is to be rolled back, and nothing fails.
	 */
	boolean marks() {
		return this == ROLLBACK_ONLY || this == METHOD_MARKS_AND_RETURNS;
	}

	boolean isPossible(DatabaseUnderTest database, SetUp setUp, Protection protection) {
		return switch (this) {
			case METHOD_MARKS_AND_RETURNS -> protection.isAnnotated();
			case DEFERRED_CONSTRAINT -> database.defersConstraints();
			case FLUSH_FAILS -> setUp == SetUp.JPA;
			default -> true;
		};
	}

	static Set<Fate> methodFates() {
		return EnumSet.of(METHOD_THROWS, METHOD_THROWS_CALLER_GOES_ON, METHOD_THROWS_ERROR, METHOD_MARKS_AND_RETURNS,
				CLAIM_LOST);
	}

	/**
	 * What can become of a transaction that begins and ends with the protected call.
	 */
	static Set<Fate> ofOwnTransaction() {
		return EnumSet.complementOf(EnumSet.of(METHOD_THROWS_CALLER_GOES_ON, CALLER_THROWS, CALLER_THROWS_ERROR));
	}

	/**
	 * What can become of a transaction that somebody else began.
	 */
	static Set<Fate> ofCallersTransaction() {
		return EnumSet.allOf(Fate.class);
	}

	/**
	 * What can become of a transaction of any manager, in any database.
	 */
	static Set<Fate> ofAnyManager() {
		return EnumSet.of(COMMIT, AFTER_COMMIT_THROWS, ROLLBACK_ONLY, METHOD_THROWS, METHOD_MARKS_AND_RETURNS,
				CALLER_THROWS, SYNCHRONIZATION_THROWS, METHOD_THROWS_ERROR, CALLER_THROWS_ERROR,
				SYNCHRONIZATION_THROWS_ERROR);
	}

	/**
	 * At least one of each kind, for where there is no time for more.
	 */
	static Set<Fate> representatives() {
		return EnumSet.of(COMMIT, ROLLBACK_ONLY, METHOD_MARKS_AND_RETURNS, LISTENER_THROWS, METHOD_THROWS_ERROR,
				CALLER_THROWS_ERROR);
	}

	/**
	 * The kinds of endings that there are.
	 */
	enum Ending {

		COMMIT, ROLL_BACK, COMMIT_FAILS, ERROR

	}

}
