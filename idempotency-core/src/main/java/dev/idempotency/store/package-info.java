/**
 * The store's side of the bargain: four verbs, the abilities a store may add, and the
 * values that cross between them and the engine.
 */
@NullMarked
package dev.idempotency.store;

import org.jspecify.annotations.NullMarked;
