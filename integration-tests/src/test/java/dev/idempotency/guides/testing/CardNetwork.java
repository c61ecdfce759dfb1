package dev.idempotency.guides.testing;

/**
 * Moves money, outside of every transaction.
 */
interface CardNetwork {

	/**
	 * Charges a card.
	 * @return the receipt
	 */
	String charge(int amount);

	/**
	 * Whether an earlier attempt has charged the card.
	 */
	boolean hasCharged(String key);

}
