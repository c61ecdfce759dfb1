package dev.idempotency.guides;

/**
 * What a customer gets.
 */
record Parcel(String orderId, String chargeId) {
}
