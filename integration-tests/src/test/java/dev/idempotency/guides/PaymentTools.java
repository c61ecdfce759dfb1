package dev.idempotency.guides;

import dev.idempotency.Effect;
import dev.idempotency.Idempotent;
import dev.idempotency.ai.SideEffect;
import dev.idempotency.ai.SideEffects;

import org.springframework.ai.tool.annotation.Tool;
import org.springframework.stereotype.Component;

/**
 * The tools of {@code docs/agents.md}.
 */
@Component
class PaymentTools {

	private final Payments payments;

	PaymentTools(Payments payments) {
		this.payments = payments;
	}

	@Tool(description = "Charges a customer")
	@Idempotent(effect = Effect.CREATED)
	@SideEffects(SideEffect.WRITE)
	Charge chargeCustomer(String order, int amount) {
		return this.payments.charge(new Order(order, amount));
	}

	@Tool(description = "Counts charges")
	@Idempotent(ttl = "1m")
	@SideEffects(SideEffect.READ)
	int countCharges() {
		return this.payments.charges().size();
	}

}
