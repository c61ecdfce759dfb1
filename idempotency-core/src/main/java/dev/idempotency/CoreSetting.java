package dev.idempotency;

/**
 * The settings of the engine and of the in-memory store. Each is documented where it is
 * used.
 */
public enum CoreSetting implements Setting {

	// How operations are protected
	TTL("ttl"), LEASE("lease"), WAIT_TIMEOUT("wait-timeout"), MAX_WAITING("max-waiting"), MAX_REPLAYS("max-replays"),
	MAX_REQUEST_BODY("max-request-body"), MAX_RESPONSE_BODY("max-response-body"),
	// How results are stored
	NAMESPACE("namespace"), ENCRYPTION_KEY("encryption key"), PREVIOUS_ENCRYPTION_KEYS("previous encryption keys"),
	COMPRESSION_THRESHOLD("compression threshold"),
	// How many records are stored
	PURGE_INTERVAL("purge interval"), PURGE_BATCH("purge batch"), MEMORY_ENTRIES("max-entries of the store in memory"),
	MEMORY_SIZE("max-size of the store in memory"),
	// What transactions need
	JOINING_STORE("a store that transactions can join"), TRANSACTION_MANAGER("a transaction manager");

	private final String words;

	CoreSetting(String words) {
		this.words = words;
	}

	@Override
	public String words() {
		return this.words;
	}

}
