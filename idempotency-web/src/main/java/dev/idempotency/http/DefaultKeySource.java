package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

/**
 * Where the key comes from when an operation does not say so itself: the application's
 * resolver.
 *
 * @param description where that is, for people
 * @param headers the headers that it is made of
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
	 * Without an exception: where keys are optional, most requests may come without.
	 */
	@Override
	public @Nullable String resolveIfPresent(RequestFacts facts) {
		return facts.resolvedKey();
	}

}
