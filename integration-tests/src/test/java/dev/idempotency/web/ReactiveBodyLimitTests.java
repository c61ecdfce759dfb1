package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The largest body of a protected request on WebFlux.
 */
class ReactiveBodyLimitTests extends BodyLimitTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	@Override
	List<String> paths() {
		return super.paths().stream().filter((path) -> !path.equals("/upload")).toList();
	}

	/**
	 * On servlets, only its parts do.
	 */
	@Test
	void allOfAMultipartBodyCounts() {
		String key = TestServer.newKey();
		Target upload = new Target(this.uncompared, "/upload");
		int overhead = upload.body(key, 0).length();
		upload.known(key, LIMIT - overhead + 1).assertProblem(413, "body-too-large");
		upload.chunked(key, LIMIT - overhead + 1).assertProblem(413, "body-too-large");
		assertThat(upload.known(key, LIMIT - overhead).text()).endsWith(" got " + (LIMIT - overhead));
		assertThat(upload.chunked(key, LIMIT - overhead).isReplay()).isTrue();
	}

	@RestController
	record ReactiveEndpoints(Executions executions) {

		@PostMapping("/plain")
		Mono<String> plain(ServerHttpRequest request) {
			return got("plain", request.getBody());
		}

		@PostMapping("/optional")
		@Idempotent(required = false, fingerprint = false)
		Mono<String> optional(ServerHttpRequest request) {
			return got("optional", request.getBody());
		}

		@PostMapping("/compared")
		@Idempotent
		Mono<String> compared(ServerHttpRequest request) {
			return got("compared", request.getBody());
		}

		@PostMapping("/alone")
		@Idempotent(fingerprint = false)
		Mono<String> alone(ServerHttpRequest request) {
			return got("alone", request.getBody());
		}

		@Bean
		RouterFunction<ServerResponse> route(ReactiveIdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/alone-route",
						(request) -> got("route", request.exchange().getRequest().getBody())
							.flatMap((text) -> ServerResponse.ok().bodyValue(text)))
				.filter(idempotency.withoutFingerprint())
				.build();
		}

		@PostMapping("/form")
		@Idempotent(fingerprint = false)
		Mono<String> form(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> got("form",
						"request=&note=".length() + length(form.getFirst("request")) + length(form.getFirst("note"))));
		}

		private static int length(@Nullable String text) {
			return (text != null) ? text.length() : 0;
		}

		@PostMapping("/form-key")
		@Idempotent(key = "query('request')", fingerprint = false)
		Mono<String> formKey(ServerWebExchange exchange) {
			return form(exchange);
		}

		@PostMapping("/upload")
		@Idempotent(fingerprint = false)
		Mono<String> upload(@RequestPart FilePart file) {
			return got("upload", file.content());
		}

		private Mono<String> got(String name, Flux<DataBuffer> body) {
			return body.map((buffer) -> {
				int length = buffer.readableByteCount();
				DataBufferUtils.release(buffer);
				return length;
			}).reduce(0, Integer::sum).map((length) -> got(name, length));
		}

		private String got(String name, int bytes) {
			return this.executions.next(name) + " got " + bytes;
		}

	}

}
