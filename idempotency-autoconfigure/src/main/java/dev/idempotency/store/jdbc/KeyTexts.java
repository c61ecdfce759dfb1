package dev.idempotency.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a key for people who look at the table: cut to the width of their columns,
 * because the digest is what counts.
 */
final class KeyTexts {

	private static final int WIDTH = 255;

	private KeyTexts() {
	}

	/**
	 * Sets the five parameters from the given one on.
	 * @return the next parameter
	 */
	static int set(PreparedStatement statement, int first, IdempotencyKey key) throws SQLException {
		IdempotencyScope scope = key.scope();
		int index = first;
		statement.setString(index++, fit(scope.namespace()));
		statement.setString(index++, fit(scope.operation()));
		statement.setString(index++, fitNullable(scope.principal()));
		statement.setString(index++, fitNullable(scope.tenant()));
		statement.setString(index++, fit(key.value()));
		return index;
	}

	private static @Nullable String fitNullable(@Nullable String text) {
		return (text != null) ? fit(text) : null;
	}

	static String fit(String text) {
		// PostgreSQL cannot keep a NUL in a text
		String readable = (text.indexOf('\0') >= 0) ? text.replace('\0', '\ufffd') : text;
		if (readable.length() <= WIDTH) {
			return readable;
		}
		int end = WIDTH - 1;
		if (Character.isHighSurrogate(readable.charAt(end - 1))) {
			end--;
		}
		return readable.substring(0, end) + "\u2026";
	}

}
