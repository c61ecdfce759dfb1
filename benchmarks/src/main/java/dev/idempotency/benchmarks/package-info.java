/**
 * Benchmarks of the library.
 */
@NullMarked
package dev.idempotency.benchmarks;

import org.jspecify.annotations.NullMarked;
