/**
 * Actuator support for operators: the endpoint, the console, health, info, meters,
 * observations and traces.
 */
@NullMarked
package dev.idempotency.actuate;

import org.jspecify.annotations.NullMarked;
