package dev.idempotency.sample.payments;

import java.time.Duration;

/**
 * A card network, which delays a payment.
 */
public interface CardNetwork {

	/**
	 * Waits until the network has agreed.
	 */
	void agree();

	/**
	 * A network that always agrees, after a while.
	 */
	static CardNetwork taking(Duration time) {
		return () -> {
			try {
				Thread.sleep(time.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("The wait for the card network was interrupted", ex);
			}
		};
	}

}
