/**
 * The store in the memory of one process.
 */
@NullMarked
package dev.idempotency.store.memory;

import org.jspecify.annotations.NullMarked;
