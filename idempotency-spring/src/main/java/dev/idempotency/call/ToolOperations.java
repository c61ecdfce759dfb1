package dev.idempotency.call;

/**
 * The operations of tools.
 */
public final class ToolOperations {

	private static final String PREFIX = "tool ";

	private ToolOperations() {
	}

	/**
	 * The operation of a tool.
	 * @param tool its name
	 * @return the operation of its keys
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
