package dev.idempotency.web;

import java.util.List;
import java.util.Locale;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyReactorAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyWebFluxAutoConfiguration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the settings of the HTTP edge change on WebFlux.
 */
class ReactiveHttpSettingsTests extends HttpSettingsTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(Reactive.exchange(sources, Annotated.class, ReactiveAnnotated.class), properties);
	}

	@Override
	void startUp(Class<?> controller, String... properties) {
		new ReactiveWebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(WebFluxAutoConfiguration.class, IdempotencyAutoConfiguration.class,
					IdempotencyReactorAutoConfiguration.class, IdempotencyWebFluxAutoConfiguration.class))
			.withBean(Executions.class)
			.withUserConfiguration((controller == Annotated.class) ? ReactiveAnnotated.class : controller)
			.withPropertyValues("idempotency.store=memory")
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@RestController
	@RequestMapping("/annotated")
	@Idempotent
	record ReactiveAnnotated(Executions executions) {

		@PostMapping
		@ResponseStatus(HttpStatus.CREATED)
		Mono<String> post(@RequestBody(required = false) @Nullable String body) {
			return Mono.fromCallable(() -> "%s with %d characters".formatted(this.executions.next("annotated"),
					(body != null) ? body.length() : 0));
		}

		@PostMapping("/form")
		Mono<String> form(ServerWebExchange exchange) {
			return exchange.getFormData()
				.map((form) -> "%s with %d characters".formatted(this.executions.next("form"),
						String.valueOf(form.getFirst("note")).length()));
		}

		@PutMapping
		Mono<String> put() {
			return Mono.fromCallable(() -> this.executions.next("put"));
		}

		@DeleteMapping
		Mono<String> delete() {
			return Mono.fromCallable(() -> this.executions.next("delete"));
		}

		@PostMapping("/headers")
		@CrossOrigin(originPatterns = "*")
		Mono<Void> headers(ServerHttpResponse response) {
			response.setStatusCode(HttpStatus.CREATED);
			HttpHeaders headers = response.getHeaders();
			headers.set("Location", "/things/7");
			headers.set("ETag", "\"v7\"");
			headers.add("X-Item", "second");
			headers.add("X-Item", "first");
			headers.setContentLanguage(Locale.GERMAN);
			headers.setExpires(System.currentTimeMillis());
			response.addCookie(ResponseCookie.from("session", "secret").build());
			headers.add("Set-Cookie", "other=secret");
			headers.set("traceparent", "00-1-2-01");
			headers.set("X-B3-TraceId", "7");
			headers.set("X-Secret", "secret");
			headers.set("X-Internal", "secret");
			return Mono.empty();
		}

	}

}
