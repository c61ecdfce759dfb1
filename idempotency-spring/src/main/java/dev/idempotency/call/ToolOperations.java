package dev.idempotency.call;

/**
 * What calls of tools are remembered under.
 */
public final class ToolOperations {

	private static final String PREFIX = "tool ";

	private ToolOperations() {
	}

	/**
	 * The operation of a tool.
	 * @param tool its name
	 * @return what its keys are remembered under
	 */
	public static String of(String tool) {
		return PREFIX + tool;
	}

	/**
	 * Whether an operation is that of a tool.
	 */
	public static boolean isTool(String operation) {
		return operation.startsWith(PREFIX);
	}

}
