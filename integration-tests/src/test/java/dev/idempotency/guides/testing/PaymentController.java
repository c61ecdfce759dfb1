package dev.idempotency.guides.testing;

import java.net.URI;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The handler of {@code docs/testing.md}.
 */
@RestController
class PaymentController {

	private final CardNetwork network;

	PaymentController(CardNetwork network) {
		this.network = network;
	}

	@PostMapping("/payments")
	@Idempotent
	ResponseEntity<String> pay(@RequestBody Payment payment, IdempotencyContext context) {
		if (payment.amount() <= 0) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Pay something");
		}
		if (context.mayHaveRun() && this.network.hasCharged(context.key().value())) {
			return ResponseEntity.ok("charged before");
		}
		String receipt = this.network.charge(payment.amount());
		return ResponseEntity.created(URI.create("/payments/" + receipt)).body(receipt);
	}

}
