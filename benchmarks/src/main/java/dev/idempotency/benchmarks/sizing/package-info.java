/**
 * The size of stores: a calculator, and measurements to verify its formulas.
 */
@NullMarked
package dev.idempotency.benchmarks.sizing;

import org.jspecify.annotations.NullMarked;
