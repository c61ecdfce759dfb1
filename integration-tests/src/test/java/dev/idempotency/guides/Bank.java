package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Somebody else's service: what it has done, no roll-back of ours undoes.
 */
class Bank {

	private final List<Refund> refunds = new ArrayList<>();

	Refund refund(Order order) throws NotRefundableException {
		if (order.amount() == 0) {
			throw new NotRefundableException("nothing was paid for order " + order.id());
		}
		Refund refund = new Refund(order.id(), order.amount());
		this.refunds.add(refund);
		return refund;
	}

	Optional<Refund> findRefund(String orderId) {
		return this.refunds.stream().filter((refund) -> refund.orderId().equals(orderId)).findFirst();
	}

	List<Refund> refunds() {
		return this.refunds;
	}

}
