package dev.idempotency.core;

import dev.idempotency.store.Claim;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes takeovers heard: nothing else tells that a process died in the middle of
 * something.
 */
final class Takeovers {

	private static final Logger logger = LoggerFactory.getLogger(EngineLog.NAME);

	private Takeovers() {
	}

	/**
	 * Says that an attempt follows one that vanished, if it does.
	 */
	static void tell(Claim claim, Listeners listeners) {
		if (claim.attempt() > 1) {
			logger.warn("Attempt {} at {} begins: an earlier one never came to its end, and may have done its work",
					claim.attempt(), claim.key());
			listeners.publish(new IdempotencyEvent.TakenOver(claim.key(), claim.attempt()));
		}
	}

}
