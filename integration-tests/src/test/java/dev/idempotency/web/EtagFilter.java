package dev.idempotency.web;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * A filter that holds answers itself, wherever {@code etag.order} puts it.
 */
@Configuration(proxyBeanMethods = false)
class EtagFilter {

	@Bean
	FilterRegistrationBean<ShallowEtagHeaderFilter> shallowEtagFilter(@Value("${etag.order}") int order) {
		FilterRegistrationBean<ShallowEtagHeaderFilter> registration = new FilterRegistrationBean<>(
				new ShallowEtagHeaderFilter());
		registration.setOrder(order);
		return registration;
	}

}
