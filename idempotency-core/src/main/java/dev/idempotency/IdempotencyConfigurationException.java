package dev.idempotency;

/**
 * Thrown when the configuration cannot work. It says what is wrong and why, and what to
 * do about it.
 */
public final class IdempotencyConfigurationException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final transient Explanation problem;

	private final transient Explanation remedy;

	/**
	 * Create an exception about settings.
	 * @param problem what is wrong, and why; without a full stop
	 * @param remedy what to write instead
	 */
	public IdempotencyConfigurationException(Explanation problem, Explanation remedy) {
		super("%s. %s".formatted(problem, remedy));
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Create an exception that mentions no settings.
	 * @param problem what is wrong, and why; without a full stop
	 * @param remedy what to write instead
	 */
	public IdempotencyConfigurationException(String problem, String remedy) {
		this(Explanation.of("%s", problem), Explanation.of("%s", remedy));
	}

	/**
	 * What is wrong, and why.
	 * @return a sentence without its full stop
	 */
	public Explanation problem() {
		return this.problem;
	}

	/**
	 * What to do about it.
	 * @return what to write instead
	 */
	public Explanation remedy() {
		return this.remedy;
	}

}
