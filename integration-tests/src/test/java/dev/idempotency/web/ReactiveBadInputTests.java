package dev.idempotency.web;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What a handler of WebFlux never saw is not remembered.
 */
class ReactiveBadInputTests extends BadInputTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	/**
	 * WebFlux knows whose fault it is if there is no multipart body.
	 */
	@Override
	Stream<BadInput> badInputs() {
		return super.badInputs().map((bad) -> (bad.status() != 500) ? bad
				: new BadInput(bad.name(), bad.path(), bad.type(), bad.content(), 400));
	}

	/**
	 * For Netty, a client that sends no more is gone.
	 */
	@Override
	void sendCutOff(RawClient client) {
		assertThatThrownBy(client::send).hasMessageContaining("No answer");
	}

	/**
	 * Netty answers this itself, and lets the application see a body that has ended.
	 */
	@Test
	@Override
	void remembersNothingOfABodyInMalformedChunks() {
		String key = TestServer.newKey();
		Answer refused = RawClient.post(this.server, "/json")
			.header("Idempotency-Key", key)
			.malformedChunk(JSON)
			.send();
		assertThat(refused.status()).isEqualTo(400);
		await().until(() -> !find("/json", key));
		assertThat(repaired("/json", key).status()).isEqualTo(201);
	}

	record Amount(@Max(10) int amount) {
	}

	@RestController
	@Idempotent
	@ResponseStatus(HttpStatus.CREATED)
	record ReactiveEndpoints(Executions executions) {

		private Mono<String> next(String path) {
			return Mono.fromCallable(() -> this.executions.next(path));
		}

		@PostMapping("/json")
		Mono<String> json(@Valid @RequestBody Order order) {
			return next("/json");
		}

		@PostMapping(path = "/consumes", consumes = JSON)
		Mono<String> consumes(@RequestBody Order order) {
			return next("/consumes");
		}

		@PostMapping("/form")
		Mono<String> form(@Valid @ModelAttribute Amount amount) {
			return next("/form");
		}

		@PostMapping("/bound")
		Mono<String> bound(@Valid @ModelAttribute Order order) {
			return next("/bound");
		}

		@PostMapping("/header")
		Mono<String> header(@RequestHeader("X-Needed") String needed) {
			return next("/header");
		}

		@PostMapping("/upload")
		Mono<String> upload(@RequestPart FilePart file) {
			return next("/upload");
		}

		@PostMapping("/items/{id}")
		Mono<String> item() {
			return next("/items");
		}

	}

}
