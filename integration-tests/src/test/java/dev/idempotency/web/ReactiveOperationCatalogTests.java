package dev.idempotency.web;

import java.util.List;

import dev.idempotency.core.OperationCatalog;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.ScopeResolver;

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
		return ScopeResolver.class;
	}

	static class ReactiveScope {

		@Bean
		ScopeResolver scope() {
			return ScopeResolver.principalAndTenant((request) -> request.header("tenant"));
		}

	}

}
