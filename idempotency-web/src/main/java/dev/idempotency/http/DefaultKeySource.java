package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

/**
 * The source of keys for operations that do not define one: the application's resolver.
 *
 * @param description describes the source for operators
 * @param headers the headers that the key is made of
 * @param resolver resolves them
 */
record DefaultKeySource(String description, List<KeyField> headers, KeyResolver resolver) implements KeySource {

	DefaultKeySource {
		headers = List.copyOf(headers);
	}

	@Override
	public String resolve(ProtectedRequest request) {
		String key = this.resolver.resolveKey(request.facts());
		if (key == null) {
			throw new IdempotencyKeyMissingException(this.resolver.advice());
		}
		return key;
	}

	/**
	 * Without an exception: where keys are optional, most requests may have none.
	 */
	@Override
	public @Nullable String resolveIfPresent(ProtectedRequest request) {
		return this.resolver.resolveKey(request.facts());
	}

}
