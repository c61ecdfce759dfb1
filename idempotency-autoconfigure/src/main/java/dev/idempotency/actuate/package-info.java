/**
 * What is going on, for those who run the application: meters, observations, traces.
 */
@NullMarked
package dev.idempotency.actuate;

import org.jspecify.annotations.NullMarked;
