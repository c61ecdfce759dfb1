/**
 * The store SPI: five verbs, the optional capabilities of stores, and the values that
 * stores exchange with the engine.
 */
@NullMarked
package dev.idempotency.store;

import org.jspecify.annotations.NullMarked;
