/**
 * Describes protected handlers to clients, with springdoc.
 */
@NullMarked
package dev.idempotency.openapi;

import org.jspecify.annotations.NullMarked;
