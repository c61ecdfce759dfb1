/**
 * One application under load, without the starter, with a floor written by hand, and with
 * the starter: what a request costs in each.
 */
@NullMarked
package dev.idempotency.benchmarks.load;

import org.jspecify.annotations.NullMarked;
