package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * The contract on WebFlux in Tomcat, whose connections close where they need not: see
 * docs/webflux.md.
 */
@Tag("slow")
class ReactiveTomcatHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(
				List.of(WebTestApplication.class, Container.class, Interrupted.class, Gates.class, Recycled.class),
				properties);
	}

	@Test
	void runsOnTomcat() {
		assertThat(server().container()).isInstanceOf(TomcatWebServer.class);
	}

	/**
	 * Tomcat closes the connection of such a thread.
	 */
	@Test
	void storesTheResponseOfAThreadThatIsInterrupted() {
		String key = TestServer.newKey();
		Throwable lost = catchThrowable(() -> server().post("/interrupted").key(key).send());
		Answer again = server().post("/interrupted").key(key).send();
		assertThat(again.status()).as("after %s", lost).isEqualTo(200);
		assertThat(again.isReplay()).isTrue();
		assertThat(again.text()).startsWith("interrupted no. ");
		assertThat(server().executions().of("interrupted")).isEqualTo(1);
	}

	/**
	 * The client is gone, and Tomcat has recycled the request. The write that fails with
	 * it may leave its error to the next request, which is lost then: see
	 * docs/webflux.md.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "cookies", "remote", "local", "ssl" })
	void aHandlerReadsItsRequestWithoutItsClient(String part) {
		Gates gates = server().bean(Gates.class);
		String key = TestServer.newKey();
		Wire wire = Wire.post(server(), "/recycled/" + part, key);
		gates.await(key + " runs");
		wire.hangUp();
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		gates.open(key);
		Answer retry = await().ignoreExceptionsMatching((ex) -> ex.getCause() instanceof IOException)
			.until(() -> server().post("/recycled/" + part).key(key).send(), (answer) -> answer.status() != 409);
		assertThat(retry.isReplay()).as("%s", retry).isTrue();
		assertThat(server().executions().of(key)).isEqualTo(1);
	}

	static class Container {

		@Bean
		TomcatReactiveWebServerFactory container() {
			return new TomcatReactiveWebServerFactory();
		}

		/**
		 * Spring reads once more after an upload is answered, and Tomcat closes the
		 * connection then: nothing else may be sent on it.
		 */
		@Bean
		WebFilter oneConnectionForEachUpload() {
			return (exchange, chain) -> {
				ServerHttpRequest request = exchange.getRequest();
				if (request.getPath().value().equals("/plain/upload")) {
					exchange.getResponse().getHeaders().set("Connection", "close");
				}
				return chain.filter(exchange);
			};
		}

	}

	@RestController
	static class Interrupted {

		private final Executions executions;

		Interrupted(Executions executions) {
			this.executions = executions;
		}

		@Idempotent
		@PostMapping("/interrupted")
		Mono<String> interrupted() {
			return Mono.fromCallable(() -> {
				Thread.currentThread().interrupt();
				return this.executions.next("interrupted");
			}).subscribeOn(Schedulers.boundedElastic());
		}

	}

	@RestController
	@Idempotent
	record Recycled(Executions executions, Gates gates) {

		@PostMapping("/recycled/{part}")
		Flux<String> recycled(@PathVariable String part, IdempotencyContext context, ServerHttpRequest request) {
			String key = context.key().value();
			return Flux.concat(Mono.fromCallable(() -> this.executions.next(key)), Mono.defer(() -> {
				this.gates.open(key + " runs");
				return this.gates.passing(key);
			})
				.flatMapMany((passed) -> Flux.range(0, 20)
					.delayElements(Duration.ofMillis(5))
					.map((number) -> " " + read(part, request))));
		}

		private static String read(String part, ServerHttpRequest request) {
			return String.valueOf(switch (part) {
				case "cookies" -> request.getCookies();
				case "remote" -> request.getRemoteAddress();
				case "local" -> request.getLocalAddress();
				default -> request.getSslInfo();
			});
		}

	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
