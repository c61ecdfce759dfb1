package dev.idempotency.guides;

/**
 * What a customer of the guides' shop wants.
 */
record Order(String id, int amount) {
}
