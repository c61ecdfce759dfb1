package dev.idempotency.store;

/**
 * The result of a claim.
 */
public sealed interface ClaimResult {

	/**
	 * The key is claimed.
	 */
	record Granted(Claim claim) implements ClaimResult {
	}

	/**
	 * The key is in progress, abandoned or completed.
	 *
	 * @param record the record that prevents the claim
	 */
	record Refused(IdempotencyRecord record) implements ClaimResult {
	}

}
