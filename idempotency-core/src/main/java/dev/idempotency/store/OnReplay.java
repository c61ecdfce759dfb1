package dev.idempotency.store;

/**
 * What a claim does to the completed record of the same fingerprint that it is refused
 * with.
 */
public enum OnReplay {

	/**
	 * Nothing: the claim only reads.
	 */
	READ,

	/**
	 * It counts as a replay.
	 */
	COUNT,

	/**
	 * It restarts the record's ttl, and never shortens what is left of it.
	 */
	EXTEND

}
