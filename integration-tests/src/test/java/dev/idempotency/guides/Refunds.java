package dev.idempotency.guides;

import java.util.Optional;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;

import org.springframework.stereotype.Service;

/**
 * The example of {@code docs/methods.md}.
 */
@Service
class Refunds {

	private final Bank bank;

	Refunds(Bank bank) {
		this.bank = bank;
	}

	@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT, verify = "findRefund",
			storeExceptions = NotRefundableException.class)
	public Refund refund(Order order) throws NotRefundableException {
		return this.bank.refund(order);
	}

	/**
	 * Called before a retry after a crash: finds the refund if it has happened.
	 */
	Optional<Refund> findRefund(Order order) {
		return this.bank.findRefund(order.id());
	}

	@Idempotent(key = "join(#user, #requestKey)")
	public Refund refundFor(String user, String requestKey, Order order) throws NotRefundableException {
		return this.bank.refund(order);
	}

}
