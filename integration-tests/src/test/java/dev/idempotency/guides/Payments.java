package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes money, and remembers from whom.
 */
class Payments {

	/**
	 * The amount that the bank of this test does not answer to.
	 */
	static final int PENDING = 404;

	private final List<Charge> charges = new ArrayList<>();

	Charge charge(Order order) {
		Charge charge = new Charge("ch-" + order.id(), order.amount());
		this.charges.add(charge);
		return charge;
	}

	Optional<Charge> find(String orderId) {
		return this.charges.stream().filter((charge) -> charge.id().equals("ch-" + orderId)).findFirst();
	}

	/**
	 * Whether the bank has not answered yet.
	 */
	boolean isPending(Charge charge) {
		return charge.amount() == PENDING;
	}

	List<Charge> charges() {
		return this.charges;
	}

}
