/**
 * Calls with typed results, and the steps of operations, shared by the edges for Java
 * values.
 */
@NullMarked
package dev.idempotency.call;

import org.jspecify.annotations.NullMarked;
