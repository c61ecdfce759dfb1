/**
 * An asynchronous response, and a request with a file.
 */
@NullMarked
package dev.idempotency.sample.documents;

import org.jspecify.annotations.NullMarked;
