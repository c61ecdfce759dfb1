package dev.idempotency.call;

import java.nio.charset.StandardCharsets;

import dev.idempotency.ReplayedFailureException;
import org.jspecify.annotations.Nullable;

/**
 * A failure that is the result of an operation: the name of its exception, which is only
 * compared, and the message.
 *
 * @param type the name of the exception's class
 * @param message its message, or {@code null} if it has none
 */
record StoredFailure(String type, @Nullable String message) {

	private static final int MAX_LENGTH = 4096;

	static StoredFailure of(Throwable failure) {
		String message = failure.getMessage();
		return new StoredFailure(failure.getClass().getName(),
				(message != null && message.length() > MAX_LENGTH) ? message.substring(0, MAX_LENGTH) : message);
	}

	byte[] toBytes() {
		return ((this.message != null) ? this.type + "\n" + this.message : this.type).getBytes(StandardCharsets.UTF_8);
	}

	static StoredFailure fromBytes(byte[] bytes) {
		String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\n", 2);
		return new StoredFailure(parts[0], (parts.length > 1) ? parts[1] : null);
	}

	ReplayedFailureException toException() {
		return new ReplayedFailureException(this.type, this.message);
	}

}
