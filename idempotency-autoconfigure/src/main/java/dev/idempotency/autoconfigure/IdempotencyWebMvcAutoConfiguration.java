package dev.idempotency.autoconfigure;

import java.util.EnumSet;
import java.util.List;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.web.IdempotencyExceptionResolver;
import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.IdempotencyInterceptor;
import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.IdempotencyWeb;
import jakarta.servlet.DispatcherType;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.support.ErrorPageFilter;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Auto-configuration of the HTTP edge for Spring MVC.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ DispatcherServlet.class, FilterRegistrationBean.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@Import({ TomcatConfiguration.class, JettyConfiguration.class })
public final class IdempotencyWebMvcAutoConfiguration {

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
	static ServerThreads idempotencyServerThreads(Environment environment) {
		return ServerThreads.of(environment);
	}

	@Bean
	IdempotencyWeb idempotencyWeb(IdempotencyEngine engine, Calls calls, AnnotationPolicies policies,
			IdempotencyProperties properties, HttpStrategies strategies, ApplicationContext context) {
		return new IdempotencyWeb(engine, calls, policies, properties.http().settings(), strategies, context);
	}

	@Bean
	HttpStrategies idempotencyHttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver,
			RequestFingerprinter fingerprinter, ResponsePolicy responsePolicy,
			ObjectProvider<ProblemFormat> problemFormats) {
		return new HttpStrategies(keyResolver, scopeResolver, fingerprinter, responsePolicy,
				problemFormats.orderedStream().toList());
	}

	@Bean
	IdempotencyFilter idempotencyFilter(IdempotencyWeb web, ContainerRequestEnds ends) {
		return web.filter(ends);
	}

	@Bean
	@ConditionalOnMissingBean(name = "idempotencyFilterRegistration")
	FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(IdempotencyFilter filter,
			ContainerRequestEnds ends) {
		FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter);
		EnumSet<DispatcherType> types = EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR);
		if (ends.errorsAreForwarded()) {
			types.add(DispatcherType.FORWARD);
		}
		registration.setDispatcherTypes(types);
		registration.setOrder(IdempotencyFilter.DEFAULT_ORDER);
		return registration;
	}

	@Bean
	ContainerRequestEnds idempotencyRequestEnds(ListableBeanFactory beans) {
		// Present in a war
		return new ContainerRequestEnds(beans.getBeanNamesForType(ErrorPageFilter.class, true, false).length > 0);
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyRouteFilter idempotencyRouteFilter(IdempotencyWeb web) {
		return web.routeFilter();
	}

	@Bean
	ProtectedHandlers idempotencyProtectedHandlers(IdempotencyWeb web) {
		return web.handlers();
	}

	@Bean
	AnswerReader idempotencyAnswerReader() {
		return HttpAnswer::describe;
	}

	@Bean
	@Order(0)
	ResultWriter idempotencyAnswerWriter(IdempotencyWeb web) {
		return web.resultWriter();
	}

	@Bean
	WebMvcConfigurer idempotencyWebMvcConfigurer(IdempotencyWeb web) {
		return new IdempotencyWebMvcConfigurer(web.interceptor(), web.exceptionResolver());
	}

	@Bean
	SmartInitializingSingleton idempotencyHandlerCheck(IdempotencyWeb web,
			ObjectProvider<RequestMappingHandlerMapping> mappings) {
		return () -> web.checkHandlers(mappings.orderedStream().toList());
	}

	@Bean
	KnownNames idempotencyRouteNames(ObjectProvider<RouterFunctionMapping> mappings) {
		return () -> IdempotencyWeb.namesOf(mappings.orderedStream().toList());
	}

	@Bean
	StartupFact idempotencyScopeFact(ApplicationContext context) {
		return new StartupFact("scope",
				context.containsBean("idempotencyScopeResolver") ? "principal" : "by the application's ScopeResolver");
	}

	/**
	 * Registers the interceptor after all others, so that nothing is claimed for a
	 * request that one of them rejects, and the exception resolver before all others.
	 */
	record IdempotencyWebMvcConfigurer(IdempotencyInterceptor interceptor,
			IdempotencyExceptionResolver exceptionResolver) implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(this.interceptor).order(Ordered.LOWEST_PRECEDENCE);
		}

		@Override
		public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
			resolvers.add(IdempotencyWeb.contextArgumentResolver());
		}

		@Override
		public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
			resolvers.add(0, this.exceptionResolver);
		}

	}

}
