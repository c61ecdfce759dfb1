package dev.idempotency.web;

import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the key of a request to WebFlux comes from.
 */
class ReactiveKeySourceTests extends KeySourceTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> exchanged = Reactive.exchange(sources, Forms.class, ReactiveForms.class);
		exchanged = Reactive.exchange(exchanged, Sessions.class, ReactiveSessions.class);
		exchanged = Reactive.exchange(exchanged, Strategies.class, ReactiveStrategies.class);
		return Reactive.startBlocking(exchanged, properties);
	}

	/**
	 * Reactor Netty forgets the next request on a connection if one is answered on
	 * another thread before it was read to its end.
	 */
	@Test
	void forgetsNoRequestThatFollowsARefusal() {
		for (int round = 0; round < LongRun.choose(300, 10_000); round++) {
			this.server.post("/declared").send().assertProblem(400, "key-missing");
			this.server.post("/declared").body("text/plain", "x".repeat(5000)).send().assertProblem(400, "key-missing");
			assertThat(this.server.post("/declared").key(TestServer.newKey()).send().status()).isEqualTo(200);
		}
	}

	@RestController
	record ReactiveForms(Executions executions) {

		@PostMapping("/form-key")
		@Idempotent(key = "query('version')")
		Mono<String> form(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> form.getFirst("note") + ": " + this.executions.next("form-key"));
		}

	}

	@RestController
	record ReactiveSessions(Executions executions) {

		@PostMapping("/session")
		Mono<Void> session(WebSession session) {
			session.start();
			return Mono.empty();
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		Mono<String> derived(@RequestBody String body, IdempotencyContext context) {
			return Mono.fromCallable(() -> this.executions.next("derived") + " key " + context.key().value());
		}

	}

	/**
	 * What an application may decide itself.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ReactiveStrategies {

		@Bean
		KeyResolver keyResolver() {
			return (request) -> request.parameters("request").stream().findFirst().orElse(null);
		}

		@Bean
		ScopeResolver scopeResolver() {
			return (request, operation) -> new IdempotencyScope("", operation, null, request.header("X-Tenant"));
		}

		@Bean
		RequestFingerprinter fingerprinter() {
			return RequestFingerprinter.none();
		}

		@Bean
		ResponsePolicy responsePolicy() {
			return (request, status) -> {
				if (status == 499) {
					throw new IllegalStateException("Who would have thought of that status");
				}
				return status != 418;
			};
		}

	}

}
