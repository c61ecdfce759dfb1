/**
 * Outgoing calls: makes calls to other services safe to repeat.
 */
@NullMarked
package dev.idempotency.client;

import org.jspecify.annotations.NullMarked;
