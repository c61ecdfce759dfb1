package dev.idempotency.web;

import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

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

	@Bean
	RouterFunction<ServerResponse> routes(ReactiveIdempotencyRouteFilter idempotency, Executions executions) {
		return RouterFunctions.route()
			.POST("/kinds/route",
					(request) -> request.bodyToMono(String.class)
						.defaultIfEmpty("")
						.flatMap((body) -> ServerResponse.status(201)
							.header("X-Kept", "kept")
							.bodyValue(executions.next("route") + body.length())))
			.filter(idempotency)
			.build();
	}

}
