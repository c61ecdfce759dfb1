package dev.idempotency.sample.payments;

import java.time.Duration;

/**
 * What makes a payment take its time.
 */
public interface CardNetwork {

	/**
	 * Returns when the network has agreed, which takes as long as such things do.
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
				throw new IllegalStateException("Nobody waits for the card network any more", ex);
			}
		};
	}

}
