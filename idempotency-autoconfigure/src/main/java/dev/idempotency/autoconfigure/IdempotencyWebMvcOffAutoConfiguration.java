package dev.idempotency.autoconfigure;

import java.util.List;

import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.IdempotencyWeb;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration of what an application's code refers to, so that it still starts
 * when protection is switched off.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
public final class IdempotencyWebMvcOffAutoConfiguration {

	IdempotencyWebMvcOffAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyRouteFilter idempotencyRouteFilter() {
		return IdempotencyRouteFilter.disabled();
	}

	@Bean
	WebMvcConfigurer idempotencyWebMvcConfigurer() {
		return new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(IdempotencyWeb.contextArgumentResolver());
			}

		};
	}

}
