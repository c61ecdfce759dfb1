package dev.idempotency.client;

import java.io.IOException;

/**
 * Finds the connection failure behind an exception. Clients based on Reactor Netty wrap
 * it in unchecked exceptions, which no reader of a stream expects.
 */
final class BrokenAnswer {

	private BrokenAnswer() {
	}

	/**
	 * The connection failure behind an exception.
	 * @param failure the failure to read the response
	 * @return the connection failure
	 * @throws RuntimeException the failure itself if the connection did not cause it
	 */
	static IOException of(Exception failure) {
		if (failure instanceof IOException io) {
			return io;
		}
		if (failure.getCause() instanceof IOException io) {
			return io;
		}
		throw (RuntimeException) failure;
	}

}
