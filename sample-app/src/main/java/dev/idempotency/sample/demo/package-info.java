/**
 * Simulations for the page: a server that crashes, a sender of webhooks.
 */
@NullMarked
package dev.idempotency.sample.demo;

import org.jspecify.annotations.NullMarked;
