package dev.idempotency.web;

import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What springdoc tells clients about protected handlers of WebFlux.
 */
class ReactiveOpenApiTests extends OpenApiTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

	@Test
	void describesHandlersThatReturnPublishers() {
		try (TestServer server = start(List.of(Shop.class, Publishing.class), Bystanders.ALL)) {
			DocumentContext document = document(server);
			for (String kind : List.of("mono", "entity", "flux")) {
				String operation = "$.paths['/%s'].post".formatted(kind);
				assertThat(parameter(document, operation, "Idempotency-Key")).containsEntry("required", true);
				assertThat(document.<List<String>>read(operation + ".parameters[*].name"))
					.containsExactlyInAnyOrder("Idempotency-Key", "Idempotency-Dry-Run");
				assertThat(statuses(document, operation)).containsExactlyInAnyOrder("200", "400", "409", "413", "422",
						"503");
				assertThat(document.<Map<String, Object>>read(operation + ".responses.200.headers"))
					.containsOnlyKeys("Idempotent-Replayed", "Idempotency-Effect");
				assertThat(document.<String>read(operation + "['x-idempotency'].key"))
					.isEqualTo("header Idempotency-Key");
			}
		}
	}

	@RestController
	static class Publishing {

		@PostMapping("/mono")
		@Idempotent
		Mono<Map<String, Object>> mono(@RequestBody Mono<Map<String, Object>> order, IdempotencyContext context) {
			return order;
		}

		@PostMapping("/entity")
		@Idempotent
		Mono<ResponseEntity<String>> entity(ServerWebExchange exchange) {
			return Mono.just(ResponseEntity.ok("ok"));
		}

		@PostMapping("/flux")
		@Idempotent
		Flux<String> flux(IdempotencyContext context) {
			return Flux.just("a", "b");
		}

	}

}
