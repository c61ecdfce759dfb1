package dev.idempotency.transactions;

/**
 * One case of all that there are.
 *
 * @param situation who calls, and in which transactions
 * @param fate what becomes of the transaction that decides
 * @param protection how the work is protected
 * @param isolation the isolation of the transactions
 */
record Cell(Situation situation, Fate fate, Protection protection, Isolation isolation) {

	Outcome expected() {
		return this.situation.expected(this.protection, this.fate);
	}

	@Override
	public String toString() {
		return "%s, %s, %s, %s".formatted(this.situation.name(), this.fate, this.protection, this.isolation);
	}

}
