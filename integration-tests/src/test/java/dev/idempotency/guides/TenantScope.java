package dev.idempotency.guides;

import dev.idempotency.http.ScopeResolver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The code of {@code docs/security.md}.
 */
@Configuration(proxyBeanMethods = false)
class TenantScope {

	@Bean
	ScopeResolver scopeResolver() {
		return ScopeResolver.principalAndTenant((request) -> (String) request.attribute("tenant"));
	}

}
