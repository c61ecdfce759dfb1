package dev.idempotency.sample.payments;

import java.math.BigDecimal;

/**
 * A payment that a customer requests.
 *
 * @param amount in euros
 * @param purpose what for
 */
record Order(BigDecimal amount, String purpose) {

	private static final BigDecimal MOST = new BigDecimal("10000");

	private static final int LONGEST_PURPOSE = 100;

	Order {
		if (amount == null || amount.signum() <= 0 || amount.compareTo(MOST) > 0 || amount.scale() > 2) {
			throw new IllegalArgumentException("The amount is between 0.01 and " + MOST + " euros, in cents");
		}
		if (purpose == null || purpose.isBlank() || purpose.length() > LONGEST_PURPOSE) {
			throw new IllegalArgumentException("The purpose has 1 to " + LONGEST_PURPOSE + " characters");
		}
	}

}
