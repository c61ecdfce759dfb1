/**
 * Decides when two JSON values are the same, for requests, outgoing calls, tools and the
 * inputs of steps. For internal use by the edges: applications must not rely on it.
 */
@NullMarked
package dev.idempotency.json;

import org.jspecify.annotations.NullMarked;
