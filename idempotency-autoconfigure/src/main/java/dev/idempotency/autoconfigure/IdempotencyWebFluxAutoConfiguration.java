package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.Http;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.reactive.ReactiveEngine;
import dev.idempotency.webflux.IdempotencyHandlerAdapter;
import dev.idempotency.webflux.IdempotencyWebFlux;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.WebFilter;

/**
 * Auto-configuration of the HTTP edge for WebFlux. When protection is switched off, there
 * is only what the code of an application depends on, and what refuses dry runs.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyReactorAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
@Import(HttpConfiguration.class)
public final class IdempotencyWebFluxAutoConfiguration {

	@Bean
	IdempotencyWebFlux idempotencyWebFlux(ObjectProvider<Calls> calls, ObjectProvider<ReactiveEngine> engine,
			AnnotationPolicies policies, Http http, HttpStrategies strategies, ApplicationContext context) {
		Calls known = calls.getIfAvailable();
		return new IdempotencyWebFlux((known != null) ? engine.getObject() : null, known, policies, http.settings(),
				strategies, context);
	}

	/**
	 * Outside of all decorators of the application.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	HttpHandlerDecoratorFactory idempotencyHttpHandlerDecorator(IdempotencyWebFlux web) {
		return web.handlerDecorator();
	}

	@Bean
	IdempotencyHandlerAdapter idempotencyHandlerAdapter(IdempotencyWebFlux web) {
		return web.adapter();
	}

	@Bean
	WebFluxConfigurer idempotencyWebFluxConfigurer() {
		return new IdempotencyWebFluxConfigurer();
	}

	@Bean
	@ConditionalOnMissingBean
	ReactiveIdempotencyRouteFilter idempotencyRouteFilter(IdempotencyWebFlux web) {
		return web.routeFilter();
	}

	/**
	 * What there is only with protection.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	static class Protection {

		@Bean
		WebFilter idempotencyRequestAttributes() {
			return IdempotencyWebFlux.requestAttributes();
		}

		@Bean
		WebFilter idempotencyDispatches() {
			return IdempotencyWebFlux.dispatches();
		}

		@Bean
		ProtectedHandlers idempotencyProtectedHandlers(IdempotencyWebFlux web) {
			return web.handlers();
		}

		@Bean
		@Order(0)
		ResultWriter idempotencyAnswerWriter(IdempotencyWebFlux web) {
			return web.resultWriter();
		}

		@Bean
		SmartInitializingSingleton idempotencyHandlerCheck(IdempotencyWebFlux web,
				ObjectProvider<RequestMappingHandlerMapping> mappings) {
			return () -> web.checkHandlers(mappings.orderedStream().toList());
		}

		@Bean
		KnownNames idempotencyRouteNames(ObjectProvider<RouterFunctionMapping> mappings) {
			return () -> IdempotencyWebFlux.namesOf(mappings.orderedStream().toList());
		}

	}

	/**
	 * Lets handlers take their context as an argument.
	 */
	record IdempotencyWebFluxConfigurer() implements WebFluxConfigurer {

		@Override
		public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
			configurer.addCustomResolver(IdempotencyWebFlux.contextArgumentResolver());
		}

	}

}
