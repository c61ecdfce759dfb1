package dev.idempotency.web;

import java.util.List;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.web.ClientContract.KeyField;

/**
 * Where the key comes from when an operation does not say so itself.
 *
 * @param resolver knows it
 */
record DefaultKeySource(KeyResolver resolver) implements KeySource {

	@Override
	public String resolve(Facts facts) {
		String key = this.resolver.resolveKey(facts.request());
		if (key == null) {
			throw new IdempotencyKeyMissingException(this.resolver.advice());
		}
		return key;
	}

	@Override
	public String description() {
		return (this.resolver instanceof HeaderKeyResolver header) ? "header " + header.name()
				: "the application's KeyResolver";
	}

	@Override
	public List<KeyField> headers() {
		return (this.resolver instanceof HeaderKeyResolver header)
				? List.of(new KeyField(header.name(), header.syntax())) : List.of();
	}

}
