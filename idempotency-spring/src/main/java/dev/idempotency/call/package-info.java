/**
 * Calls with typed results, and the steps inside of operations: what the edges that deal
 * in Java values share.
 */
@NullMarked
package dev.idempotency.call;

import org.jspecify.annotations.NullMarked;
