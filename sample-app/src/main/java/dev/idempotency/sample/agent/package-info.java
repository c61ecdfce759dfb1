/**
 * A task of several steps, each of which happens once.
 */
@NullMarked
package dev.idempotency.sample.agent;

import org.jspecify.annotations.NullMarked;
