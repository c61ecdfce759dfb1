/**
 * The HTTP edge for WebFlux: an HTTP handler carries requests, and a handler adapter
 * decides about them.
 */
@NullMarked
package dev.idempotency.webflux;

import org.jspecify.annotations.NullMarked;
