package dev.idempotency.web;

/**
 * What an application may decide differently about each request.
 *
 * @param keyResolver finds the key
 * @param scopeResolver says whose key it is
 * @param fingerprinter says what makes two requests the same
 * @param responsePolicy says which answers are stored
 */
public record HttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver, RequestFingerprinter fingerprinter,
		ResponsePolicy responsePolicy) {
}
