/**
 * The edge for methods of any bean: a call with a key runs once, and retries get its
 * result.
 */
@NullMarked
package dev.idempotency.method;

import org.jspecify.annotations.NullMarked;
