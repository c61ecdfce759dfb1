/**
 * The HTTP edge: the filter carries, the interceptor decides.
 */
@NullMarked
package dev.idempotency.web;

import org.jspecify.annotations.NullMarked;
