package dev.idempotency.core;

import java.util.Map;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * What the settings say about operations, by their names. It wins over what the code
 * says, so that whoever runs the application need not build it anew.
 *
 * @param settings what is said, by the names of operations
 */
public record NamedOperations(Map<String, OperationSettings> settings) {

	private static final Pattern HTTP = Pattern.compile("[A-Z]+ .*");

	private static final NamedOperations NONE = new NamedOperations(Map.of());

	public NamedOperations {
		settings = Map.copyOf(settings);
	}

	/**
	 * Nothing is said about any.
	 * @return none
	 */
	public static NamedOperations none() {
		return NONE;
	}

	/**
	 * Whether a name is that of a request's operation, such as {@code POST /payments}.
	 * @param name the name
	 * @return whether it is
	 */
	public static boolean isHttp(String name) {
		return HTTP.matcher(name).matches();
	}

	/**
	 * How an operation is protected.
	 * @param operation its name
	 * @param policy how it is protected otherwise
	 * @return the policy
	 * @throws IdempotencyConfigurationException if the two do not go together
	 */
	public OperationPolicy policyOf(String operation, OperationPolicy policy) {
		return of(operation).over(policy, operation);
	}

	/**
	 * How large the bodies of an operation may be.
	 * @param operation its name
	 * @param limits how large they may be otherwise
	 * @return the limits
	 */
	public BodyLimits limitsOf(String operation, BodyLimits limits) {
		return of(operation).over(limits);
	}

	private OperationSettings of(String operation) {
		return this.settings.getOrDefault(operation, OperationSettings.NONE);
	}

}
