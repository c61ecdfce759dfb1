package dev.idempotency.sample.demo;

import dev.idempotency.sample.payments.CardNetwork;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * Configuration of a {@link DoomedInstance}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(DoomedInstance.DOOMED)
class DoomedConfiguration {

	@Bean
	@Primary
	static CardNetwork deadlyCardNetwork() {
		return DoomedInstance.deadlyCardNetwork();
	}

	@Bean
	static ApplicationListener<WebServerInitializedEvent> portTeller() {
		return DoomedInstance.tellPort();
	}

}
