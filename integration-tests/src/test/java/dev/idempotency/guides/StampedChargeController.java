package dev.idempotency.guides;

import dev.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The code of {@code docs/http.md}.
 */
@RestController
class StampedChargeController {

	private final Payments payments;

	StampedChargeController(Payments payments) {
		this.payments = payments;
	}

	@PostMapping("/stamped-charges")
	@Idempotent(fingerprintExcludes = { "/sentAt", "/meta/attempt" })
	Charge charge(@RequestBody Order order) {
		return this.payments.charge(order);
	}

}
