/**
 * Orders that are paid through another service, such as a second instance of this one.
 */
@NullMarked
package dev.idempotency.sample.orders;

import org.jspecify.annotations.NullMarked;
