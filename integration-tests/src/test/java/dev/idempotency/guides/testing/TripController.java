package dev.idempotency.guides.testing;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A handler with a step.
 */
@RestController
class TripController {

	private final CardNetwork network;

	TripController(CardNetwork network) {
		this.network = network;
	}

	@PostMapping("/trips")
	@Idempotent
	String book(@RequestBody Payment payment, IdempotencyContext context) {
		String receipt = context.steps().run("charge", String.class, () -> this.network.charge(payment.amount()));
		return "%s in attempt %d".formatted(receipt, context.attempt());
	}

}
