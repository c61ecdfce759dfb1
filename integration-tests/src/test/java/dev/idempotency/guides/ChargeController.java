package dev.idempotency.guides;

import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The first recipe of {@code docs/recipes.md}.
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

}
