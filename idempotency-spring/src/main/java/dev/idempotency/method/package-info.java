/**
 * The edge for methods of any bean: a call that carries a key runs once, and its retries
 * get what it returned.
 */
@NullMarked
package dev.idempotency.method;

import org.jspecify.annotations.NullMarked;
