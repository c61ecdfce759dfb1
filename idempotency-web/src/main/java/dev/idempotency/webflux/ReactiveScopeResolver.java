package dev.idempotency.webflux;

import java.security.Principal;
import java.util.function.Function;

import dev.idempotency.IdempotencyScope;
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
	 * Separates callers that a security filter has authenticated.
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
			.map(Principal::getName)
			.map((name) -> new IdempotencyScope("", operation, name, tenant.apply(exchange)))
			.switchIfEmpty(Mono.fromSupplier(() -> new IdempotencyScope("", operation, null, tenant.apply(exchange))));
	}

}
