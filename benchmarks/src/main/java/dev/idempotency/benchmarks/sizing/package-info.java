/**
 * How large stores become: a calculator, and what its formulas are held against.
 */
@NullMarked
package dev.idempotency.benchmarks.sizing;

import org.jspecify.annotations.NullMarked;
