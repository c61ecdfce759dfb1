package dev.idempotency.http;

import java.util.function.Function;

import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the scope that a key belongs to. The same key in another scope is another key,
 * so that a stored response is replayed only to its own caller. On WebFlux it must not
 * block.
 */
@FunctionalInterface
public interface ScopeResolver {

	/**
	 * Resolves the scope of a request.
	 * @param operation what the key protects: the method and the pattern of the route
	 */
	IdempotencyScope resolveScope(RequestFacts request, String operation);

	/**
	 * Separates callers that the container, or a security filter, has authenticated. One
	 * that has no name of its own is refused.
	 */
	static ScopeResolver principal() {
		return principalAndTenant((request) -> null);
	}

	/**
	 * Separates tenants, and the authenticated callers of each.
	 * @param tenant resolves the tenant of a request, or {@code null} if it has none
	 */
	static ScopeResolver principalAndTenant(Function<RequestFacts, @Nullable String> tenant) {
		return (request, operation) -> CallerScope.of(request.principal(), operation, tenant.apply(request));
	}

}
