package dev.idempotency.guides;

/**
 * What a customer got back.
 */
record Refund(String orderId, int amount) {
}
