package dev.idempotency.store;

/**
 * A store whose records stay, invisible, when their time is over, until someone removes
 * them.
 */
public interface PurgeableStore extends IdempotencyStore {

	/**
	 * Removes records whose time is over; never one that a claim could still meet.
	 * @param limit how many at most
	 * @return how many were removed; fewer than the limit means that none are left
	 */
	int purge(int limit);

}
