package dev.idempotency.torture.ledger;

/**
 * What is to be done once: the same key of another caller is another one.
 */
record KeyOfCaller(String caller, String key) {

	@Override
	public String toString() {
		return this.key + " of " + this.caller;
	}

}
