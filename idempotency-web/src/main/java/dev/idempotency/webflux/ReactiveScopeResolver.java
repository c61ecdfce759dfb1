package dev.idempotency.webflux;

import java.util.Optional;
import java.util.function.Function;

import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.CallerScope;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Resolves the scope that a key belongs to. The same key in another scope is another key,
 * so that a stored response is replayed only to its own caller.
 */
@FunctionalInterface
public interface ReactiveScopeResolver {

	/**
	 * Resolves the scope of a request.
	 * @param exchange the request
	 * @param operation what the key protects: the method and the pattern of the route
	 * @return the scope
	 */
	Mono<IdempotencyScope> resolveScope(ServerWebExchange exchange, String operation);

	/**
	 * Separates callers that a security filter has authenticated. One that has no name of
	 * its own is refused.
	 * @return the resolver
	 */
	static ReactiveScopeResolver principal() {
		return principalAndTenant((exchange) -> null);
	}

	/**
	 * Separates tenants, and the authenticated callers of each.
	 * @param tenant resolves the tenant of a request, or {@code null} if it has none; it
	 * must not block
	 * @return the resolver
	 */
	static ReactiveScopeResolver principalAndTenant(Function<ServerWebExchange, @Nullable String> tenant) {
		return (exchange, operation) -> exchange.getPrincipal()
			.map(Optional::of)
			.defaultIfEmpty(Optional.empty())
			.map((principal) -> CallerScope.of(principal.orElse(null), operation, tenant.apply(exchange)));
	}

}
