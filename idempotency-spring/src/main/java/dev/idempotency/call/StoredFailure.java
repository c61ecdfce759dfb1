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
public record StoredFailure(String type, @Nullable String message) {

	private static final int MAX_LENGTH = 4096;

	/**
	 * The stored form of a failure.
	 */
	public static StoredFailure of(Throwable failure) {
		String message = messageOf(failure);
		return new StoredFailure(failure.getClass().getName(),
				(message != null && message.length() > MAX_LENGTH) ? message.substring(0, MAX_LENGTH) : message);
	}

	/**
	 * The code of an application, which must not keep its failure from being a result.
	 */
	private static @Nullable String messageOf(Throwable failure) {
		try {
			return failure.getMessage();
		}
		catch (RuntimeException | Error ex) {
			return null;
		}
	}

	byte[] toBytes() {
		return ((this.message != null) ? this.type + "\n" + this.message : this.type).getBytes(StandardCharsets.UTF_8);
	}

	static StoredFailure fromBytes(byte[] bytes) {
		String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\n", 2);
		return new StoredFailure(parts[0], (parts.length > 1) ? parts[1] : null);
	}

	/**
	 * What a caller gets instead of running the operation again.
	 */
	public ReplayedFailureException toException() {
		return new ReplayedFailureException(this.type, this.message);
	}

}
