/**
 * An answer that takes its time, and a request that carries a file.
 */
@NullMarked
package dev.idempotency.sample.documents;

import org.jspecify.annotations.NullMarked;
