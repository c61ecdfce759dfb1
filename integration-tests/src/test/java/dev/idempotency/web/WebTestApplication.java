package dev.idempotency.web;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * An application with one endpoint of each kind.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ HandlerKinds.Protected.class, HandlerKinds.Plain.class, HandlerKinds.Advice.class })
class WebTestApplication {

	@Bean
	Executions executions() {
		return new Executions();
	}

	@Bean
	RouterFunction<ServerResponse> routes(IdempotencyRouteFilter idempotency, Executions executions) {
		return RouterFunctions.route()
			.POST("/kinds/route",
					(request) -> ServerResponse.status(201)
						.header("X-Kept", "kept")
						.body(executions.next("route") + request.body(String.class).length()))
			.filter(idempotency)
			.build();
	}

}
