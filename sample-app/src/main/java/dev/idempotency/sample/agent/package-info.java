/**
 * A task of several steps, each of which runs once.
 */
@NullMarked
package dev.idempotency.sample.agent;

import org.jspecify.annotations.NullMarked;
