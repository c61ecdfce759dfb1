package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.junit.jupiter.api.Tag;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Duplicates of a request on WebFlux.
 */
@Tag("once")
class ReactiveRaceTests extends HttpRaceTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	@RestController
	@Idempotent
	record ReactiveEndpoints(Gates gates, Executions executions) {

		@PostMapping("/quick")
		Mono<ResponseEntity<String>> quick(IdempotencyContext context) {
			return Mono.fromCallable(() -> this.executions.next(context.key().value()))
				.delayElement(Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000)))
				.map(ReactiveEndpoints::created);
		}

		@PostMapping("/until-released")
		Mono<ResponseEntity<String>> untilReleased(IdempotencyContext context) {
			String key = context.key().value();
			return Mono.fromCallable(() -> this.executions.next(key))
				.doOnNext((receipt) -> this.gates.open(key + " runs"))
				.flatMap((receipt) -> this.gates.passing(key).thenReturn(created(receipt)));
		}

		@PostMapping("/until-released/awaited")
		@Idempotent(onConflict = OnConflict.WAIT)
		Mono<ResponseEntity<String>> awaited(IdempotencyContext context) {
			return untilReleased(context);
		}

		private static ResponseEntity<String> created(String receipt) {
			return ResponseEntity.status(201).header("X-Receipt", receipt).body(receipt);
		}

	}

}
