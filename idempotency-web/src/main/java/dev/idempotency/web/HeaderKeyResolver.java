package dev.idempotency.web;

import dev.idempotency.http.KeyHeader;
import dev.idempotency.http.KeySyntax;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Resolves keys from a header.
 *
 * @param name the name of the header
 * @param syntax the syntax of the keys
 */
record HeaderKeyResolver(String name, KeySyntax syntax) implements KeyResolver {

	@Override
	public @Nullable String resolveKey(HttpServletRequest request) {
		return KeyHeader.parse(request.getHeaders(this.name), this.syntax);
	}

	@Override
	public String advice() {
		return KeyHeader.advice(this.name);
	}

}
