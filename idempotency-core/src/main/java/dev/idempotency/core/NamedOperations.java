package dev.idempotency.core;

import java.util.Map;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * The settings of operations by their names. They override the code, so that operators
 * can change them without a new build.
 *
 * @param settings the settings, by the names of operations
 */
public record NamedOperations(Map<String, OperationSettings> settings) {

	private static final Pattern HTTP = Pattern.compile("[A-Z]+ .*");

	private static final NamedOperations NONE = new NamedOperations(Map.of());

	public NamedOperations {
		settings = Map.copyOf(settings);
	}

	/**
	 * No settings for any operation.
	 */
	public static NamedOperations none() {
		return NONE;
	}

	/**
	 * Whether a name is that of an HTTP operation, such as {@code POST /payments}.
	 * @return whether it is
	 */
	public static boolean isHttp(String name) {
		return HTTP.matcher(name).matches();
	}

	/**
	 * How an operation is protected.
	 * @param operation its name
	 * @param policy how it is protected otherwise
	 * @throws IdempotencyConfigurationException if the two contradict each other
	 */
	public OperationPolicy policyOf(String operation, OperationPolicy policy) {
		return of(operation).over(policy, operation);
	}

	/**
	 * The body limits of an operation.
	 * @param operation its name
	 */
	public BodyLimits limitsOf(String operation, BodyLimits limits) {
		return of(operation).over(limits);
	}

	private OperationSettings of(String operation) {
		return this.settings.getOrDefault(operation, OperationSettings.NONE);
	}

}
