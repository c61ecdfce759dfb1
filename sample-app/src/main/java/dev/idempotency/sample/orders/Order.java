package dev.idempotency.sample.orders;

import java.math.BigDecimal;

/**
 * What a customer orders.
 *
 * @param item what
 * @param amount for how much, in euros
 */
record Order(String item, BigDecimal amount) {
}
