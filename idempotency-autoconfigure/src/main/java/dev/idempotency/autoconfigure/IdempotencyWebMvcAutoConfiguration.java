package dev.idempotency.autoconfigure;

import java.util.EnumSet;
import java.util.List;

import dev.idempotency.autoconfigure.IdempotencyProperties.Http;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.ProtectedHandlers;
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
import org.springframework.context.annotation.Configuration;
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
 * Auto-configuration of the HTTP edge for Spring MVC. When protection is switched off,
 * there is only what the code of an application depends on, and what refuses dry runs.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ DispatcherServlet.class, FilterRegistrationBean.class })
@Import(HttpConfiguration.class)
public final class IdempotencyWebMvcAutoConfiguration {

	@Bean
	IdempotencyWeb idempotencyWeb(ObjectProvider<Calls> calls, AnnotationPolicies policies, Http http,
			HttpStrategies strategies, ApplicationContext context) {
		return new IdempotencyWeb(calls.getIfAvailable(), policies, http.settings(), strategies, context);
	}

	@Bean
	IdempotencyFilter idempotencyFilter(IdempotencyWeb web, ObjectProvider<ContainerRequestEnds> ends) {
		return web.filter(ends.getIfAvailable());
	}

	/**
	 * Without protection, the filter is there for applications that register it
	 * themselves.
	 */
	@Bean
	@ConditionalOnMissingBean(name = "idempotencyFilterRegistration")
	FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(IdempotencyFilter filter,
			ObjectProvider<ContainerRequestEnds> ends) {
		FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter);
		EnumSet<DispatcherType> types = EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR);
		ContainerRequestEnds known = ends.getIfAvailable();
		if (known != null && known.errorsAreForwarded()) {
			types.add(DispatcherType.FORWARD);
		}
		registration.setDispatcherTypes(types);
		registration.setOrder(IdempotencyFilter.DEFAULT_ORDER);
		registration.setEnabled(known != null);
		return registration;
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyRouteFilter idempotencyRouteFilter(IdempotencyWeb web) {
		return web.routeFilter();
	}

	@Bean
	WebMvcConfigurer idempotencyWebMvcConfigurer(IdempotencyWeb web) {
		return new IdempotencyWebMvcConfigurer(web.interceptor(), web.exceptionResolver());
	}

	/**
	 * What there is only with protection.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	@Import({ TomcatConfiguration.class, JettyConfiguration.class })
	static class Protection {

		@Bean
		static ServerThreads idempotencyServerThreads(Environment environment) {
			return ServerThreads.of(environment);
		}

		@Bean
		ContainerRequestEnds idempotencyRequestEnds(ListableBeanFactory beans) {
			// Present in a war
			return new ContainerRequestEnds(beans.getBeanNamesForType(ErrorPageFilter.class, true, false).length > 0);
		}

		@Bean
		ProtectedHandlers idempotencyProtectedHandlers(IdempotencyWeb web) {
			return web.handlers();
		}

		@Bean
		@Order(0)
		ResultWriter idempotencyAnswerWriter(IdempotencyWeb web) {
			return web.resultWriter();
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
