package dev.idempotency.torture.ledger;

/**
 * Something that was done, and stays.
 */
record Effect(KeyOfCaller key, int attempt, String id, int amount) {
}
