/**
 * Measures what a request costs in one application: without the starter, with a floor
 * written by hand, and with the starter.
 */
@NullMarked
package dev.idempotency.benchmarks.load;

import org.jspecify.annotations.NullMarked;
