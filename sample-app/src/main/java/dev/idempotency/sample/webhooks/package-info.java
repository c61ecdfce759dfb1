/**
 * Events that other services deliver, sometimes twice.
 */
@NullMarked
package dev.idempotency.sample.webhooks;

import org.jspecify.annotations.NullMarked;
