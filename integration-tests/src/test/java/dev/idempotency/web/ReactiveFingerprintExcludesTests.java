package dev.idempotency.web;

import java.util.List;

import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Parts of the body in which a retry may differ, on WebFlux.
 */
class ReactiveFingerprintExcludesTests extends FingerprintExcludesTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Routes.class, ReactiveRoutes.class), properties);
	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveRoutes {

		@Bean
		RouterFunction<ServerResponse> excludingRoute(ReactiveIdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/excluding-route",
						(request) -> ServerResponse.ok().body(request.bodyToMono(String.class), String.class))
				.filter(idempotency.withFingerprintExcludes("/sentAt", "/meta/try"))
				.build();
		}

	}

}
