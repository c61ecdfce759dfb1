/**
 * What the servlet and WebFlux edges share: the header of the key, fingerprints of
 * requests, the stored form of a response, problems. It depends on neither of them.
 * Applications use {@link dev.idempotency.http.ProblemFormat},
 * {@link dev.idempotency.http.RequestContent}, {@link dev.idempotency.http.KeySyntax} and
 * the exceptions. The rest is for the edges, and may change with any release.
 */
@NullMarked
package dev.idempotency.http;

import org.jspecify.annotations.NullMarked;
