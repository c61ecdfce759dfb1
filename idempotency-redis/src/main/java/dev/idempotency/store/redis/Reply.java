package dev.idempotency.store.redis;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The reply to a command.
 */
final class Reply {

	private Reply() {
	}

	/**
	 * Sends a command. If the thread is interrupted before it has the reply, the server
	 * may have done what it was asked, or not. The command is sent again, as a driver
	 * does after a lost connection, and the interrupt is set aside meanwhile.
	 */
	static <T extends @Nullable Object> T to(Supplier<T> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			if (!Thread.interrupted()) {
				throw ex;
			}
			try {
				return command.get();
			}
			finally {
				Thread.currentThread().interrupt();
			}
		}
	}

}
