package dev.idempotency.guides;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.Steps;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The step of {@code docs/steps.md} that commits.
 */
@RestController
class StepwiseController {

	private final JdbcTemplate jdbc;

	private final Payments payments;

	private final Warehouse warehouse;

	StepwiseController(JdbcTemplate jdbc, Payments payments, Warehouse warehouse) {
		this.jdbc = jdbc;
		this.payments = payments;
		this.warehouse = warehouse;
	}

	@PostMapping("/purchases")
	@Idempotent
	Parcel purchase(@RequestBody Order order, IdempotencyContext context) {
		Steps steps = context.steps();
		steps.transactional()
			.run("order", () -> this.jdbc.update("insert into orders (id, amount) values (?, ?)", order.id(),
					order.amount()));
		Charge charge = steps.run("charge", Charge.class, () -> this.payments.charge(order));
		return steps.run("ship", Parcel.class, () -> this.warehouse.ship(order, charge));
	}

}
