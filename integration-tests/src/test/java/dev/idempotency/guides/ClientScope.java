package dev.idempotency.guides;

import java.util.Objects;

import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.ScopeResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

/**
 * The code of {@code docs/security.md}.
 */
@Configuration(proxyBeanMethods = false)
class ClientScope {

	@Bean
	ScopeResolver scopeResolver() {
		return (request, operation) -> {
			if (request.principal() instanceof JwtAuthenticationToken caller && !caller.getToken().hasClaim("sub")) {
				String client = Objects.requireNonNull(caller.getToken().getClaimAsString("client_id"));
				return new IdempotencyScope("", operation, client, "clients");
			}
			return ScopeResolver.principal().resolveScope(request, operation);
		};
	}

}
