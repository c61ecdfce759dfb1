/**
 * The store in Redis, or in what speaks its protocol.
 */
@NullMarked
package dev.idempotency.store.redis;

import org.jspecify.annotations.NullMarked;
