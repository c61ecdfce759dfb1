package dev.idempotency.web;

import java.util.List;

import dev.idempotency.http.ProblemFormat;

/**
 * The strategies of the HTTP edge, which an application can replace.
 *
 * @param keyResolver resolves the key of a request
 * @param scopeResolver resolves the scope of the key
 * @param fingerprinter computes the fingerprint of a request
 * @param responsePolicy decides which responses are stored
 * @param problemFormats write problems in the application's own formats
 */
public record HttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver, RequestFingerprinter fingerprinter,
		ResponsePolicy responsePolicy, List<ProblemFormat> problemFormats) {

	public HttpStrategies {
		problemFormats = List.copyOf(problemFormats);
	}

	boolean comparesRequests() {
		return !(this.fingerprinter instanceof NoFingerprinter);
	}

}
