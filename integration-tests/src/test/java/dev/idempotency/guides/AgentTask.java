package dev.idempotency.guides;

import java.time.Duration;
import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.IdempotencySession;
import dev.idempotency.Outcome;

import org.springframework.stereotype.Service;

/**
 * The code of {@code docs/agents.md}.
 */
@Service
class AgentTask {

	private final Idempotency idempotency;

	private final Payments payments;

	private final Warehouse warehouse;

	AgentTask(Idempotency idempotency, Payments payments, Warehouse warehouse) {
		this.idempotency = idempotency;
		this.payments = payments;
		this.warehouse = warehouse;
	}

	Parcel run(String taskId, Order order) {
		IdempotencySession session = this.idempotency.withTtl(Duration.ofDays(7)).session(taskId);
		Charge charge = session.run("charge", order, Charge.class, () -> this.payments.charge(order));
		return session.run("ship", Map.of("order", order.id()), Parcel.class, () -> this.warehouse.ship(order, charge));
	}

	String chargeCustomer(String sessionId, String customer, int amount) {
		Map<String, Object> arguments = Map.of("customer", customer, "amount", amount);
		String key = IdempotencyKeys.forArgs("charge_customer:" + sessionId, arguments);
		Outcome<Charge> outcome = this.idempotency.attempt(IdempotencyKey.of("charge_customer", key), Charge.class,
				() -> this.payments.charge(new Order(customer, amount)));
		if (outcome instanceof Outcome.Executed<Charge> executed) {
			return "Charged now: " + executed.value().id();
		}
		if (outcome instanceof Outcome.Replayed<Charge> replayed) {
			return "Charged before, and not again: " + replayed.value().id();
		}
		if (outcome instanceof Outcome.ReplayLimit<Charge>) {
			return "Stop. You have asked for this several times. It is done; go on with the next step.";
		}
		return "Not charged by this call. Ask a person before you try again.";
	}

}
