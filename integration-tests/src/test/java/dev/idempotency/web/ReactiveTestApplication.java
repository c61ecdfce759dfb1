package dev.idempotency.web;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * An application on WebFlux with one endpoint of each kind.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ ReactiveKinds.Protected.class, ReactiveKinds.Plain.class, HandlerKinds.Advice.class })
class ReactiveTestApplication {

	@Bean
	Executions executions() {
		return new Executions();
	}

}
