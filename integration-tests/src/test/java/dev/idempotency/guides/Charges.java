package dev.idempotency.guides;

import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;

import org.springframework.stereotype.Service;

/**
 * Answers to a crash, and to an outcome that is unknown, from {@code docs/steps.md}.
 */
@Service
class Charges {

	private final Payments payments;

	Charges(Payments payments) {
		this.payments = payments;
	}

	@Idempotent(key = "#order.id")
	public Charge lookingFirst(Order order) {
		if (IdempotencyContext.current().mayHaveRun()) {
			Optional<Charge> earlier = this.payments.find(order.id());
			if (earlier.isPresent()) {
				return earlier.get();
			}
		}
		return this.payments.charge(order);
	}

	@Idempotent(key = "#order.id")
	public Charge reporting(Order order) {
		Charge charge = this.payments.charge(order);
		if (this.payments.isPending(charge)) {
			IdempotencyContext.current().outcomeUnknown();
		}
		return charge;
	}

	@Idempotent(key = "#order.id", verify = "findCharge")
	public Charge asking(Order order) {
		return this.payments.charge(order);
	}

	Optional<Charge> findCharge(Order order) {
		return this.payments.find(order.id());
	}

	@Idempotent(key = "#order.id", onCrash = OnCrash.REFUSE)
	public Charge leavingItToPeople(Order order) {
		return this.payments.charge(order);
	}

}
