package dev.idempotency.autoconfigure;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
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
 * Auto-configuration of the HTTP edge for WebFlux.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyReactorAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyWebFluxAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	KeyResolver idempotencyKeyResolver(IdempotencyProperties properties) {
		return KeyResolver.header(properties.http().header(), properties.http().keySyntax());
	}

	@Bean
	@ConditionalOnMissingBean
	ScopeResolver idempotencyScopeResolver() {
		return ScopeResolver.principal();
	}

	@Bean
	@ConditionalOnMissingBean
	RequestFingerprinter idempotencyRequestFingerprinter(IdempotencyProperties properties) {
		return switch (properties.http().fingerprint()) {
			case NONE -> RequestFingerprinter.none();
			case BYTES -> RequestFingerprinter.bytes();
			case CANONICAL_JSON -> RequestFingerprinter.canonicalJson();
		};
	}

	@Bean
	@ConditionalOnMissingBean
	ResponsePolicy idempotencyResponsePolicy() {
		return ResponsePolicy.finalAnswers();
	}

	@Bean
	HttpStrategies idempotencyHttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver,
			RequestFingerprinter fingerprinter, ResponsePolicy responsePolicy,
			ObjectProvider<ProblemFormat> problemFormats) {
		return new HttpStrategies(keyResolver, scopeResolver, fingerprinter, responsePolicy,
				problemFormats.orderedStream().toList());
	}

	@Bean
	IdempotencyWebFlux idempotencyWebFlux(ReactiveEngine engine, Calls calls, AnnotationPolicies policies,
			IdempotencyProperties properties, HttpStrategies strategies, ApplicationContext context) {
		return new IdempotencyWebFlux(engine, calls, policies, properties.http().settings(), strategies, context);
	}

	/**
	 * Outside of all decorators of the application.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	HttpHandlerDecoratorFactory idempotencyHttpHandlerDecorator() {
		return IdempotencyWebFlux.handlerDecorator();
	}

	@Bean
	WebFilter idempotencyRequestAttributes() {
		return IdempotencyWebFlux.requestAttributes();
	}

	@Bean
	WebFilter idempotencyDispatches() {
		return IdempotencyWebFlux.dispatches();
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

	@Bean
	ProtectedHandlers idempotencyProtectedHandlers(IdempotencyWebFlux web) {
		return web.handlers();
	}

	@Bean
	AnswerReader idempotencyAnswerReader() {
		return HttpAnswer::describe;
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

	@Bean
	StartupFact idempotencyScopeFact(ApplicationContext context) {
		return new StartupFact("scope",
				context.containsBean("idempotencyScopeResolver") ? "principal" : "by the application's ScopeResolver");
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
