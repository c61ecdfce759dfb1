package dev.idempotency.webflux;

import java.util.List;

import dev.idempotency.http.ProblemFormat;

/**
 * What an application may decide differently about each request.
 *
 * @param keyResolver finds the key
 * @param scopeResolver says whose key it is
 * @param fingerprinter says what makes two requests the same
 * @param responsePolicy says which answers are stored
 * @param problemFormats write problems in ways of the application's own
 */
public record ReactiveHttpStrategies(ReactiveKeyResolver keyResolver, ReactiveScopeResolver scopeResolver,
		ReactiveRequestFingerprinter fingerprinter, ReactiveResponsePolicy responsePolicy,
		List<ProblemFormat> problemFormats) {

	public ReactiveHttpStrategies {
		problemFormats = List.copyOf(problemFormats);
	}

}
