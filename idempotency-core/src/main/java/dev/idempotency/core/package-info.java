/**
 * The engine, which decides about attempts. It depends on neither Spring nor HTTP.
 */
@NullMarked
package dev.idempotency.core;

import org.jspecify.annotations.NullMarked;
