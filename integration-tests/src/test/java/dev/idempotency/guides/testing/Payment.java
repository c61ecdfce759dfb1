package dev.idempotency.guides.testing;

/**
 * What is paid.
 */
record Payment(int amount) {
}
