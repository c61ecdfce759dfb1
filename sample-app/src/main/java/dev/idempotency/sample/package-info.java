/**
 * A small payments service.
 */
@NullMarked
package dev.idempotency.sample;

import org.jspecify.annotations.NullMarked;
