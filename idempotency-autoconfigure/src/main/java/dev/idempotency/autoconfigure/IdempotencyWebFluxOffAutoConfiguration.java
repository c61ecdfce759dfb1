package dev.idempotency.autoconfigure;

import java.time.Duration;

import dev.idempotency.autoconfigure.IdempotencyProperties.Http;
import dev.idempotency.autoconfigure.IdempotencyWebFluxAutoConfiguration.IdempotencyWebFluxConfigurer;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.webflux.IdempotencyHandlerAdapter;
import dev.idempotency.webflux.IdempotencyWebFlux;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/**
 * Auto-configuration of the beans that the code of a WebFlux application depends on, so
 * that it still starts and runs when protection is switched off. Dry runs are refused.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
public final class IdempotencyWebFluxOffAutoConfiguration {

	/**
	 * Not used, since nothing is claimed. It must only be valid.
	 */
	private static final OperationPolicy UNUSED = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(1));

	@Bean
	IdempotencyWebFlux idempotencyWebFlux(Environment environment, ApplicationContext context,
			ObjectProvider<KeyResolver> keyResolver, ObjectProvider<ScopeResolver> scopeResolver,
			ObjectProvider<ProblemFormat> problemFormats) {
		// Only these settings: a wrong value elsewhere must not prevent the startup of an
		// application that has switched protection off because of it
		Http http = Binder.get(environment).bindOrCreate("idempotency.http", Http.class);
		HttpStrategies strategies = new HttpStrategies(
				keyResolver.getIfAvailable(() -> KeyResolver.header(http.header(), http.keySyntax())),
				scopeResolver.getIfAvailable(ScopeResolver::principal), RequestFingerprinter.none(),
				ResponsePolicy.finalAnswers(), problemFormats.orderedStream().toList());
		AnnotationPolicies policies = new AnnotationPolicies(UNUSED, Duration.ZERO,
				environment::resolveRequiredPlaceholders, NamedOperations.none());
		return IdempotencyWebFlux.off(policies, http.settings(), strategies, context);
	}

	@Bean
	HttpHandlerDecoratorFactory idempotencyHttpHandlerDecorator() {
		return IdempotencyWebFlux.contextDecorator();
	}

	@Bean
	IdempotencyHandlerAdapter idempotencyHandlerAdapter(IdempotencyWebFlux web) {
		return web.adapter();
	}

	@Bean
	@ConditionalOnMissingBean
	ReactiveIdempotencyRouteFilter idempotencyRouteFilter(IdempotencyWebFlux web) {
		return web.routeFilter();
	}

	@Bean
	WebFluxConfigurer idempotencyWebFluxConfigurer() {
		return new IdempotencyWebFluxConfigurer();
	}

}
