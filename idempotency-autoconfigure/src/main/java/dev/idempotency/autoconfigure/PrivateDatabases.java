package dev.idempotency.autoconfigure;

/**
 * Detects databases that are private to one connection. No other connection can reach
 * them.
 */
final class PrivateDatabases {

	private static final String H2 = "jdbc:h2:mem:";

	private static final String SQLITE = "jdbc:sqlite:";

	private PrivateDatabases() {
	}

	static boolean isPrivate(String url) {
		if (url.startsWith(H2)) {
			String name = url.substring(H2.length());
			return name.isEmpty() || name.startsWith(";");
		}
		if (url.startsWith(SQLITE)) {
			String name = url.substring(SQLITE.length());
			boolean inMemory = name.isEmpty() || name.startsWith("?") || name.contains(":memory:")
					|| name.contains("mode=memory");
			return inMemory && !name.contains("cache=shared");
		}
		return false;
	}

}
