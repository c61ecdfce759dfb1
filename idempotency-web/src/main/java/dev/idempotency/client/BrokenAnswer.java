package dev.idempotency.client;

import java.io.IOException;

/**
 * An answer that breaks off. Clients that are made of Reactor Netty wrap what has
 * happened to the connection in exceptions that nobody expects of a stream.
 */
final class BrokenAnswer {

	private BrokenAnswer() {
	}

	/**
	 * What has happened to the connection.
	 * @param failure what reading the answer failed with
	 * @return what happened
	 * @throws RuntimeException if that has nothing to do with the connection
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
