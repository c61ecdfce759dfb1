/**
 * What the page needs to play the parts of others: a server that dies, a sender of
 * webhooks.
 */
@NullMarked
package dev.idempotency.sample.demo;

import org.jspecify.annotations.NullMarked;
