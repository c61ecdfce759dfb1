package dev.idempotency.core;

/**
 * How large the bodies of an operation's requests and answers may be.
 *
 * @param request the largest body of a request, in bytes
 * @param response the largest body of an answer that is stored, in bytes
 */
public record BodyLimits(int request, int response) {
}
