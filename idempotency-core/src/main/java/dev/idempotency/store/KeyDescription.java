package dev.idempotency.store;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * The readable parts of a key, for operators. Long parts are shortened, because the
 * {@linkplain IdempotencyKey#digest() digest} identifies the key.
 *
 * @param namespace the application
 * @param operation what the key protects
 * @param principal the caller, or {@code null} if there is none
 * @param tenant the tenant, or {@code null} if there is none
 * @param key the key as it was given
 */
public record KeyDescription(String namespace, String operation, @Nullable String principal, @Nullable String tenant,
		String key) {

	/**
	 * The longest part, in characters.
	 */
	public static final int MAX_LENGTH = 255;

	/**
	 * Describes a key.
	 * @return its parts
	 */
	public static KeyDescription of(IdempotencyKey key) {
		IdempotencyScope scope = key.scope();
		return new KeyDescription(readable(scope.namespace()), readable(scope.operation()),
				(scope.principal() != null) ? readable(scope.principal()) : null,
				(scope.tenant() != null) ? readable(scope.tenant()) : null, readable(key.value()));
	}

	/**
	 * A text as stores write it.
	 */
	static String readable(String text) {
		// Some stores cannot store a NUL in a text
		String whole = (text.indexOf('\0') >= 0) ? text.replace('\0', '\ufffd') : text;
		if (whole.length() <= MAX_LENGTH) {
			return whole;
		}
		int end = MAX_LENGTH - 1;
		if (Character.isHighSurrogate(whole.charAt(end - 1))) {
			end--;
		}
		return whole.substring(0, end) + "\u2026";
	}

}
