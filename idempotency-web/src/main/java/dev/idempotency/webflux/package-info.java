/**
 * The HTTP edge for WebFlux: the handler of the server carries, the adapter decides.
 */
@NullMarked
package dev.idempotency.webflux;

import org.jspecify.annotations.NullMarked;
