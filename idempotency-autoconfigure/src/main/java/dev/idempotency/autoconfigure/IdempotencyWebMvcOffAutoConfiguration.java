package dev.idempotency.autoconfigure;

import java.time.Duration;

import dev.idempotency.autoconfigure.IdempotencyProperties.Http;
import dev.idempotency.autoconfigure.IdempotencyWebMvcAutoConfiguration.IdempotencyWebMvcConfigurer;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.IdempotencyWeb;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration of the beans that an application's code depends on, so that it still
 * starts and runs when protection is switched off. Dry runs are refused.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ DispatcherServlet.class, FilterRegistrationBean.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
public final class IdempotencyWebMvcOffAutoConfiguration {

	/**
	 * Not used, since nothing is claimed. It must only be valid.
	 */
	private static final OperationPolicy UNUSED = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(1));

	@Bean
	IdempotencyWeb idempotencyWeb(Environment environment, ApplicationContext context,
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
		return IdempotencyWeb.off(policies, http.settings(), strategies, context);
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyRouteFilter idempotencyRouteFilter(IdempotencyWeb web) {
		return web.routeFilter();
	}

	@Bean
	IdempotencyFilter idempotencyFilter() {
		return IdempotencyFilter.disabled();
	}

	/**
	 * Disables the filter, unless the application registers it itself.
	 */
	@Bean
	@ConditionalOnMissingBean(name = "idempotencyFilterRegistration")
	FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(IdempotencyFilter filter) {
		FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setEnabled(false);
		return registration;
	}

	@Bean
	WebMvcConfigurer idempotencyWebMvcConfigurer(IdempotencyWeb web) {
		return new IdempotencyWebMvcConfigurer(web.interceptor(), web.exceptionResolver());
	}

}
