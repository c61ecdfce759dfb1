package dev.idempotency.web;

import java.util.List;

import dev.idempotency.core.OperationCatalog;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.webflux.ReactiveScopeResolver;

import org.springframework.context.annotation.Bean;

/**
 * What is known of the operations of an application on WebFlux.
 */
class ReactiveOperationCatalogTests extends OperationCatalogTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(Reactive.exchange(sources, OwnScope.class, ReactiveScope.class), properties);
	}

	@Override
	OperationCatalog handlers(TestServer started) {
		return started.bean(ProtectedHandlers.class);
	}

	@Override
	Class<?> scopeResolver() {
		return ReactiveScopeResolver.class;
	}

	static class ReactiveScope {

		@Bean
		ReactiveScopeResolver scope() {
			return ReactiveScopeResolver
				.principalAndTenant((exchange) -> exchange.getRequest().getHeaders().getFirst("tenant"));
		}

	}

}
