package dev.idempotency.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
@Tag("slow")
class ReactiveOpenApiTests extends OpenApiTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Publishing.class);
		return Reactive.startBlocking(all, properties);
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "entity", "flux" })
	void describesHandlersThatReturnPublishers(String kind) {
		String operation = "$.paths['/%s'].post".formatted(kind);
		assertThat(parameter(document(), operation, "Idempotency-Key")).containsEntry("required", true);
		assertThat(document().<List<String>>read(operation + ".parameters[*].name"))
			.containsExactlyInAnyOrder("Idempotency-Key", "Idempotency-Dry-Run");
		assertThat(statuses(document(), operation)).containsExactlyInAnyOrder("200", "400", "409", "410", "413", "422",
				"503");
		assertThat(document().<Map<String, Object>>read(operation + ".responses.200.headers"))
			.containsOnlyKeys("Idempotent-Replayed", "Idempotency-Effect");
		assertThat(document().<String>read(operation + "['x-idempotency'].key")).isEqualTo("header Idempotency-Key");
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
