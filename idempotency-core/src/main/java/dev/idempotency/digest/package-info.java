/**
 * One way to make digests, for the library's own modules. Nothing in here is promised to
 * applications.
 */
@NullMarked
package dev.idempotency.digest;

import org.jspecify.annotations.NullMarked;
