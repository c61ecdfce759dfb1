/**
 * Payments, the same operation protected in each of the ways there are.
 */
@NullMarked
package dev.idempotency.sample.payments;

import org.jspecify.annotations.NullMarked;
