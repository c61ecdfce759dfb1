package dev.idempotency.web;

import java.security.Principal;
import java.util.function.Function;

import dev.idempotency.IdempotencyScope;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Says whose key it is. A stored answer belongs to whoever caused it: the same key in
 * another scope is another key.
 */
@FunctionalInterface
public interface ScopeResolver {

	/**
	 * Says whose request it is.
	 * @param request the request
	 * @param operation what the key protects: the method and the pattern of the route
	 * @return the scope
	 */
	IdempotencyScope resolveScope(HttpServletRequest request, String operation);

	/**
	 * Keeps the callers apart that the container, or a security filter, has
	 * authenticated.
	 * @return the resolver
	 */
	static ScopeResolver principal() {
		return principalAndTenant((request) -> null);
	}

	/**
	 * Keeps tenants apart, and the authenticated callers of each.
	 * @param tenant finds the tenant of a request, or {@code null} if it has none
	 * @return the resolver
	 */
	static ScopeResolver principalAndTenant(Function<HttpServletRequest, @Nullable String> tenant) {
		return (request, operation) -> {
			Principal principal = request.getUserPrincipal();
			return new IdempotencyScope("", operation, (principal != null) ? principal.getName() : null,
					tenant.apply(request));
		};
	}

}
