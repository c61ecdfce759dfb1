/**
 * The other side: calls to other services that are safe to repeat.
 */
@NullMarked
package dev.idempotency.client;

import org.jspecify.annotations.NullMarked;
