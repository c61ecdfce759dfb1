package dev.idempotency.guides.testing;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The handler of WebFlux of {@code docs/testing.md}.
 */
@RestController
class CapturesController {

	private final CardNetwork network;

	CapturesController(CardNetwork network) {
		this.network = network;
	}

	@PostMapping("/captures")
	@Idempotent
	Mono<ResponseEntity<String>> capture(@RequestBody Mono<Payment> payment, IdempotencyContext context) {
		return payment.publishOn(Schedulers.boundedElastic())
			.map((received) -> this.network.charge(received.amount()))
			.map((receipt) -> ResponseEntity.status(201)
				.header("Location", "/captures/" + receipt)
				.body("attempt " + context.attempt()));
	}

}
