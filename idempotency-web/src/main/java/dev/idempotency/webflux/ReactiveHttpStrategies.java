package dev.idempotency.webflux;

import java.util.List;

import dev.idempotency.http.ProblemFormat;

/**
 * The decisions about a request that an application can replace.
 *
 * @param keyResolver finds the key
 * @param scopeResolver finds the scope of the key
 * @param fingerprinter computes the fingerprint
 * @param responsePolicy decides which responses are stored
 * @param problemFormats the application's own formats of problems
 */
public record ReactiveHttpStrategies(ReactiveKeyResolver keyResolver, ReactiveScopeResolver scopeResolver,
		ReactiveRequestFingerprinter fingerprinter, ReactiveResponsePolicy responsePolicy,
		List<ProblemFormat> problemFormats) {

	public ReactiveHttpStrategies {
		problemFormats = List.copyOf(problemFormats);
	}

}
