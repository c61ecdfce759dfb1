/**
 * The store in Redis, or in a server with the same protocol.
 */
@NullMarked
package dev.idempotency.store.redis;

import org.jspecify.annotations.NullMarked;
