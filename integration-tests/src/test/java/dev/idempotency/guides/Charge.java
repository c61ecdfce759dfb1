package dev.idempotency.guides;

/**
 * What a customer paid.
 */
record Charge(String id, int amount) {
}
