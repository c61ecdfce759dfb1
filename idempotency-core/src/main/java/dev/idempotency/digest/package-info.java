/**
 * Digests for the library's own modules. Not part of the public API.
 */
@NullMarked
package dev.idempotency.digest;

import org.jspecify.annotations.NullMarked;
