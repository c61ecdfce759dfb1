/**
 * The engine, which decides what a store's answer means for an operation. It knows
 * neither Spring nor HTTP.
 */
@NullMarked
package dev.idempotency.core;

import org.jspecify.annotations.NullMarked;
