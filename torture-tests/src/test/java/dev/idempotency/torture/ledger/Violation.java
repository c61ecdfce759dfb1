package dev.idempotency.torture.ledger;

/**
 * A promise that was not kept.
 */
record Violation(Kind kind, KeyOfCaller key, String story) {

	/**
	 * What must never be.
	 */
	enum Kind {

		WRONG_CALLER, TWO_ANSWERS, REUSE_ALLOWED, UNEXPECTED_ANSWER, NEVER_ANSWERED, LOST_EFFECT, TWO_EFFECTS,
		EFFECT_WITHOUT_ANSWER, ATTEMPT_RAN_TWICE, GRANTED_WITHIN_LEASE, GRANTED_AFTER_COMPLETION, UNEXPLAINED_TAKEOVER

	}

}
