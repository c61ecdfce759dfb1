package dev.idempotency.guides;

import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Two recipes of {@code docs/recipes.md}.
 */
@RestController
class ChargeController {

	private final Payments payments;

	ChargeController(Payments payments) {
		this.payments = payments;
	}

	@PostMapping("/charges")
	@Idempotent
	@ResponseStatus(HttpStatus.CREATED)
	Charge charge(@RequestBody Order order) {
		return this.payments.charge(order);
	}

	@PostMapping("/transfers")
	@Idempotent
	@ResponseStatus(HttpStatus.CREATED)
	Charge transfer(@RequestBody Order order, IdempotencyContext context) {
		if (context.mayHaveRun()) {
			Optional<Charge> earlier = this.payments.find(order.id());
			if (earlier.isPresent()) {
				return earlier.get();
			}
		}
		return this.payments.charge(order);
	}

}
