/**
 * HTTP edge for WebFlux: the HTTP handler carries requests, the handler adapter decides
 * about them.
 */
@NullMarked
package dev.idempotency.webflux;

import org.jspecify.annotations.NullMarked;
