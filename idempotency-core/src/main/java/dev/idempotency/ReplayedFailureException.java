package dev.idempotency;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the operation has run and failed, and its failure was stored. A failure
 * that its message alone describes is thrown again as the original type, with this
 * exception among its {@linkplain Throwable#getSuppressed() suppressed} ones; any other
 * is replaced by this one.
 */
public final class ReplayedFailureException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final String failureType;

	private final @Nullable String failureMessage;

	/**
	 * Create an exception.
	 * @param failureType the name of the class of the failure
	 * @param failureMessage the message of the failure, or {@code null} if it had none
	 */
	public ReplayedFailureException(String failureType, @Nullable String failureMessage) {
		super(Reason.FAILURE_REPLAYED, (failureMessage != null) ? failureMessage : failureType, null);
		this.failureType = failureType;
		this.failureMessage = failureMessage;
	}

	/**
	 * The name of the class that the failure had.
	 */
	public String failureType() {
		return this.failureType;
	}

	/**
	 * The message that the failure had.
	 * @return the message, or {@code null} if it had none
	 */
	public @Nullable String failureMessage() {
		return this.failureMessage;
	}

	/**
	 * Tells a replayed failure from a new one.
	 * @param failure the exception that a protected operation has thrown
	 * @return the replayed failure, or empty if the operation failed now
	 */
	public static Optional<ReplayedFailureException> in(@Nullable Throwable failure) {
		if (failure instanceof ReplayedFailureException replayed) {
			return Optional.of(replayed);
		}
		if (failure != null) {
			for (Throwable suppressed : failure.getSuppressed()) {
				if (suppressed instanceof ReplayedFailureException replayed) {
					return Optional.of(replayed);
				}
			}
		}
		return Optional.empty();
	}

}
