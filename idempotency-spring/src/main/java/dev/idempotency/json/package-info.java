/**
 * When two JSON values are the same: decided here once, for requests, outgoing calls,
 * tools and the inputs of steps. It is for the library's own edges, and nothing in here
 * is promised to applications.
 */
@NullMarked
package dev.idempotency.json;

import org.jspecify.annotations.NullMarked;
