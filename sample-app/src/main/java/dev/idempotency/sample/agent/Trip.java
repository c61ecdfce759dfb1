package dev.idempotency.sample.agent;

import java.math.BigDecimal;

/**
 * A trip for an agent to arrange.
 *
 * @param destination where to
 * @param amount what it may cost, in euros
 */
record Trip(String destination, BigDecimal amount) {

	private static final int LONGEST_DESTINATION = 60;

	Trip {
		if (destination == null || destination.isBlank() || destination.length() > LONGEST_DESTINATION) {
			throw new IllegalArgumentException("The destination has 1 to " + LONGEST_DESTINATION + " characters");
		}
		if (amount == null || amount.signum() <= 0) {
			throw new IllegalArgumentException("A trip costs something");
		}
	}

}
