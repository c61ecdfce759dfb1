package dev.idempotency.webflux;

import java.util.Collections;

import dev.idempotency.http.KeyHeader;
import dev.idempotency.http.KeySyntax;
import org.jspecify.annotations.Nullable;

import org.springframework.web.server.ServerWebExchange;

/**
 * Resolves keys from a header.
 *
 * @param name the name of the header
 * @param syntax the syntax of the keys
 */
record ReactiveHeaderKeyResolver(String name, KeySyntax syntax) implements ReactiveKeyResolver {

	@Override
	public @Nullable String resolveKey(ServerWebExchange exchange) {
		return KeyHeader.parse(Collections.enumeration(exchange.getRequest().getHeaders().getOrEmpty(this.name)),
				this.syntax);
	}

	@Override
	public String advice() {
		return KeyHeader.advice(this.name);
	}

}
