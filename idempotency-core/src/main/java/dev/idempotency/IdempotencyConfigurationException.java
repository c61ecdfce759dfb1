package dev.idempotency;

/**
 * The application is set up in a way that cannot work: found at start-up.
 */
public final class IdempotencyConfigurationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Create an exception.
	 * @param message what is wrong
	 * @param action what to write instead
	 */
	public IdempotencyConfigurationException(String message, String action) {
		super(message);
		this.action = action;
	}

	/**
	 * What to do about it.
	 * @return what to write instead
	 */
	public String action() {
		return this.action;
	}

}
