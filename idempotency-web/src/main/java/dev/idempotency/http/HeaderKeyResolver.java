package dev.idempotency.http;

import org.jspecify.annotations.Nullable;

/**
 * Resolves keys from a header.
 *
 * @param name the name of the header
 * @param syntax the syntax of the keys
 */
record HeaderKeyResolver(String name, KeySyntax syntax) implements KeyResolver {

	@Override
	public @Nullable String resolveKey(RequestFacts request) {
		return KeyHeader.parse(request.headers(this.name), this.syntax);
	}

	@Override
	public String advice() {
		return KeyHeader.advice(this.name);
	}

}
