package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.junit.jupiter.api.Tag;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Event streams of WebFlux that have an end, and are stored.
 */
@Tag("slow")
class ReactiveStoredEventsTests extends StoredEventsTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class),
				Routes.class, ReactiveRoutes.class), properties);
	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveRoutes {

		@Bean
		RouterFunction<ServerResponse> events(ReactiveIdempotencyRouteFilter idempotency, Script script) {
			return RouterFunctions.route()
				.POST("/route/{then}",
						(request) -> ReactiveIdempotencyContext.current()
							.flatMap((context) -> ServerResponse.ok()
								.contentType(MediaType.TEXT_EVENT_STREAM)
								.body(script.events(context, request.pathVariable("then")), String.class)))
				.filter(idempotency.withStoredEvents())
				.build();
		}

	}

	@RestController
	record ReactiveEndpoints(Script script) {

		@PostMapping({ "/sse/{then}", "/flux/{then}", "/silent/{then}" })
		@Idempotent(storeEvents = true)
		Flux<ServerSentEvent<String>> flux(IdempotencyContext context, @PathVariable String then) {
			return this.script.events(context, then).map((event) -> ServerSentEvent.builder(event).build());
		}

		@PostMapping("/waiting/{then}")
		@Idempotent(storeEvents = true, onConflict = OnConflict.WAIT)
		Flux<ServerSentEvent<String>> waiting(IdempotencyContext context, @PathVariable String then) {
			return flux(context, then);
		}

		@PostMapping({ "/unstored/{then}", "/named/{then}" })
		@Idempotent
		Flux<ServerSentEvent<String>> unstored(IdempotencyContext context, @PathVariable String then) {
			return flux(context, then);
		}

		@PostMapping("/switched-off/{then}")
		@Idempotent(storeEvents = true)
		Flux<ServerSentEvent<String>> switchedOff(IdempotencyContext context, @PathVariable String then) {
			return flux(context, then);
		}

		@PostMapping(path = { "/flux-text/{then}", "/emitter/{then}" }, produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		@Idempotent(storeEvents = true)
		Flux<String> fluxText(IdempotencyContext context, @PathVariable String then) {
			return this.script.events(context, then);
		}

		@PostMapping({ "/flux-entity/{then}", "/streaming/{then}" })
		@Idempotent(storeEvents = true)
		ResponseEntity<Flux<String>> fluxEntity(IdempotencyContext context, @PathVariable String then) {
			return ResponseEntity.ok().contentType(MediaType.TEXT_EVENT_STREAM).body(this.script.events(context, then));
		}

		@PostMapping("/void/{then}")
		@Idempotent(storeEvents = true)
		Mono<Void> writesItself(IdempotencyContext context, @PathVariable String then, ServerHttpResponse response) {
			response.getHeaders().setContentType(MediaType.TEXT_EVENT_STREAM);
			return Reactive.flush(response, this.script.events(context, then)
				.map((event) -> ("data:" + event + "\n\n").getBytes(StandardCharsets.UTF_8)));
		}

	}

}
