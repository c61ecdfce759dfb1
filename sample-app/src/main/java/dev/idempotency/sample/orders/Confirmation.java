package dev.idempotency.sample.orders;

/**
 * An order that is paid.
 *
 * @param item what was ordered
 * @param payment the payment, as the provider calls it
 */
record Confirmation(String item, String payment) {
}
