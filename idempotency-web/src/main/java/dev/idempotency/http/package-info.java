/**
 * What is HTTP, whatever carries it: the header of the key, sameness of requests, the
 * stored form of an answer, problems. It knows no servlet and no handler; the edges stand
 * on it. Applications meet {@link dev.idempotency.http.ProblemFormat},
 * {@link dev.idempotency.http.RequestContent}, {@link dev.idempotency.http.KeySyntax} and
 * the exceptions; the rest is for the edges, and may change with any release.
 */
@NullMarked
package dev.idempotency.http;

import org.jspecify.annotations.NullMarked;
