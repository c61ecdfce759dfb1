package dev.idempotency.webflux;

import java.security.Principal;
import java.util.function.Function;

import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Resolves the scope of a key. A stored response belongs to the caller that caused it:
 * the same key in another scope is another key.
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
	 * Keeps the callers apart that a security filter has authenticated.
	 * @return the resolver
	 */
	static ReactiveScopeResolver principal() {
		return principalAndTenant((exchange) -> null);
	}

	/**
	 * Keeps tenants apart, and the authenticated callers of each.
	 * @param tenant finds the tenant of a request, or {@code null} if it has none; it
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
