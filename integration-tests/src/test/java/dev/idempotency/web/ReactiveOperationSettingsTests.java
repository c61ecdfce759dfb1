package dev.idempotency.web;

import java.util.List;

import dev.idempotency.core.OperationCatalog;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Operations on WebFlux whose settings differ from those for all.
 */
class ReactiveOperationSettingsTests extends OperationSettingsTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(Reactive.exchange(sources, Routes.class, ReactiveRoutes.class), properties);
	}

	@Override
	OperationCatalog catalog(TestServer started) {
		return started.bean(ProtectedHandlers.class);
	}

	/**
	 * Reactor Netty forgets the next request on a connection if one is answered on
	 * another thread before it was read to its end.
	 */
	@Test
	void forgetsNoRequestThatFollowsOneThatIsTooLarge() {
		for (int round = 0; round < LongRun.choose(300, 10_000); round++) {
			assertThat(post("/routes/other", TestServer.newKey(), LARGE).status()).isEqualTo(413);
			assertThat(post("/routes/named", TestServer.newKey(), LARGE).status()).isEqualTo(200);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveRoutes {

		@Bean
		RouterFunction<ServerResponse> routes(ReactiveIdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.path("/routes",
						(routes) -> routes.POST("/named", (request) -> ServerResponse.ok().build())
							.POST("/other", (request) -> ServerResponse.ok().build()))
				.filter(idempotency)
				.build();
		}

	}

}
