/**
 * Payments: the same operation with each kind of protection.
 */
@NullMarked
package dev.idempotency.sample.payments;

import org.jspecify.annotations.NullMarked;
