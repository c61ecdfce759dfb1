package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The contract on WebFlux in Tomcat, whose connections close where they need not: see
 * docs/webflux.md.
 */
@Tag("slow")
class ReactiveTomcatHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class, Container.class, Interrupted.class), properties);
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

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
