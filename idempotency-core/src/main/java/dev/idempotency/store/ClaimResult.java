package dev.idempotency.store;

/**
 * What became of a claim.
 */
public sealed interface ClaimResult {

	/**
	 * The key is the claimant's.
	 *
	 * @param claim the claim
	 */
	record Granted(Claim claim) implements ClaimResult {
	}

	/**
	 * The key is not to be had.
	 *
	 * @param record what stands against it
	 */
	record Refused(IdempotencyRecord record) implements ClaimResult {
	}

}
