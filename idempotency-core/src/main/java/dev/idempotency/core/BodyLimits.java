package dev.idempotency.core;

/**
 * The limits of an operation's request and response bodies.
 *
 * @param request the largest request body, in bytes
 * @param response the largest response body that is stored, in bytes
 */
public record BodyLimits(int request, int response) {
}
