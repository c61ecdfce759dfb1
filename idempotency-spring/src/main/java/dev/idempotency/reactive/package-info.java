/**
 * The engine for callers that must not block: the parts that the edges for Reactor share,
 * and the API for applications on Reactor.
 */
@NullMarked
package dev.idempotency.reactive;

import org.jspecify.annotations.NullMarked;
