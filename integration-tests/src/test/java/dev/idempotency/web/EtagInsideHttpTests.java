package dev.idempotency.web;

import java.util.List;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * The contract with a filter inside that holds answers itself.
 */
class EtagInsideHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class, Etag.class), properties);
	}

	@Configuration(proxyBeanMethods = false)
	static class Etag {

		@Bean
		FilterRegistrationBean<ShallowEtagHeaderFilter> etagFilter() {
			FilterRegistrationBean<ShallowEtagHeaderFilter> registration = new FilterRegistrationBean<>(
					new ShallowEtagHeaderFilter());
			registration.setOrder(0);
			return registration;
		}

	}

}
