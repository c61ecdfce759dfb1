package dev.idempotency.webflux;

import java.util.List;

import dev.idempotency.http.ProblemFormat;

/**
 * The strategies of the HTTP edge for WebFlux, which an application can replace.
 *
 * @param keyResolver resolves the key of a request
 * @param scopeResolver resolves the scope of the key
 * @param fingerprinter computes the fingerprint of a request
 * @param responsePolicy decides which responses are stored
 * @param problemFormats write problems in the application's own formats
 */
public record ReactiveHttpStrategies(ReactiveKeyResolver keyResolver, ReactiveScopeResolver scopeResolver,
		ReactiveRequestFingerprinter fingerprinter, ReactiveResponsePolicy responsePolicy,
		List<ProblemFormat> problemFormats) {

	public ReactiveHttpStrategies {
		problemFormats = List.copyOf(problemFormats);
	}

}
