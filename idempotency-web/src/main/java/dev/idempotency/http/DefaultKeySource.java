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
 * @param advice tells a client that sent no key what to do
 */
public record DefaultKeySource(String description, List<KeyField> headers, String advice) implements KeySource {

	public DefaultKeySource {
		headers = List.copyOf(headers);
	}

	@Override
	public String resolve(RequestFacts facts) {
		String key = facts.resolvedKey();
		if (key == null) {
			throw new IdempotencyKeyMissingException(this.advice);
		}
		return key;
	}

	/**
	 * Without an exception: where keys are optional, most requests may have none.
	 */
	@Override
	public @Nullable String resolveIfPresent(RequestFacts facts) {
		return facts.resolvedKey();
	}

}
