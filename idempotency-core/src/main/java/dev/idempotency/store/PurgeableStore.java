package dev.idempotency.store;

/**
 * A store that does not remove expired records itself. They stay, invisible, until they
 * are purged.
 */
public interface PurgeableStore extends IdempotencyStore {

	/**
	 * Removes expired records, and never one that is visible to a claim.
	 * @param limit the most records to remove
	 * @return how many were removed; fewer than the limit means that none are left
	 */
	int purge(int limit);

}
