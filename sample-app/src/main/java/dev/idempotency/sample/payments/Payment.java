package dev.idempotency.sample.payments;

import java.math.BigDecimal;

/**
 * A payment that was made.
 *
 * @param id for capturing and refunding it
 * @param account who paid
 * @param amount in euros
 * @param purpose what for
 * @param state its state
 */
record Payment(String id, String account, BigDecimal amount, String purpose, State state) {

	/**
	 * The state of a payment.
	 */
	enum State {

		CHARGED, CAPTURED, REFUNDED

	}

}
