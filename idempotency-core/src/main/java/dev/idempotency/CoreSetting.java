package dev.idempotency;

/**
 * The settings of the engine and of the store in memory.
 */
public enum CoreSetting implements Setting {

	/**
	 * How long a result is remembered.
	 */
	TTL("ttl"),

	/**
	 * How long a claim holds unless it is renewed.
	 */
	LEASE("lease"),

	/**
	 * How long an attempt waits for its running twin.
	 */
	WAIT_TIMEOUT("wait-timeout"),

	/**
	 * How often a result is given out again.
	 */
	MAX_REPLAYS("max-replays"),

	/**
	 * The largest body of a request.
	 */
	MAX_REQUEST_BODY("max-request-body"),

	/**
	 * The largest body of an answer that is stored.
	 */
	MAX_RESPONSE_BODY("max-response-body"),

	/**
	 * What keeps the keys of applications apart that share a store.
	 */
	NAMESPACE("namespace"),

	/**
	 * The key that new results are encrypted with.
	 */
	ENCRYPTION_KEY("encryption key"),

	/**
	 * Keys that older results were encrypted with.
	 */
	PREVIOUS_ENCRYPTION_KEYS("previous encryption keys"),

	/**
	 * The size from which on results are compressed.
	 */
	COMPRESSION_THRESHOLD("compression threshold"),

	/**
	 * How long to wait between two removals of what is over.
	 */
	PURGE_INTERVAL("purge interval"),

	/**
	 * How many records are removed at once.
	 */
	PURGE_BATCH("purge batch"),

	/**
	 * How many results the store in memory holds.
	 */
	MEMORY_ENTRIES("max-entries of the store in memory"),

	/**
	 * How many bytes the store in memory holds.
	 */
	MEMORY_SIZE("max-size of the store in memory"),

	/**
	 * A store whose keys can be completed in transactions.
	 */
	JOINING_STORE("a store that transactions can join"),

	/**
	 * What begins and ends transactions.
	 */
	TRANSACTION_MANAGER("a transaction manager");

	private final String words;

	CoreSetting(String words) {
		this.words = words;
	}

	@Override
	public String words() {
		return this.words;
	}

}
