package dev.idempotency;

/**
 * Thrown when the configuration cannot work. It says what is wrong and why, and what to
 * do about it.
 */
public final class IdempotencyConfigurationException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final transient String problem;

	private final transient String remedy;

	/**
	 * Create an exception.
	 * @param problem what is wrong, and why, with settings by their names in an
	 * application; without a full stop
	 * @param remedy what to write instead
	 */
	public IdempotencyConfigurationException(String problem, String remedy) {
		super("%s. %s".formatted(problem, remedy));
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * What is wrong, and why.
	 * @return a sentence without its full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * What to do about it.
	 * @return what to write instead
	 */
	public String remedy() {
		return this.remedy;
	}

}
