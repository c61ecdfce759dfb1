package dev.idempotency.guides;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The first example of {@code docs/steps.md}.
 */
@RestController
class CheckoutController {

	private final Payments payments;

	private final Warehouse warehouse;

	CheckoutController(Payments payments, Warehouse warehouse) {
		this.payments = payments;
		this.warehouse = warehouse;
	}

	@PostMapping("/checkouts")
	@Idempotent
	Parcel checkout(@RequestBody Order order, IdempotencyContext context) {
		Charge charge = context.steps().run("charge", Charge.class, () -> this.payments.charge(order));
		return context.steps().run("ship", Parcel.class, () -> this.warehouse.ship(order, charge));
	}

}
