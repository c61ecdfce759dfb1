package dev.idempotency.webflux;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.http.KeySyntax;
import org.jspecify.annotations.Nullable;

import org.springframework.web.server.ServerWebExchange;

/**
 * Resolves the key of a request whose handler declares no key of its own. It must not
 * block.
 */
@FunctionalInterface
public interface ReactiveKeyResolver {

	/**
	 * Resolves the key of a request.
	 * @param exchange the request
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if the key cannot be used
	 */
	@Nullable String resolveKey(ServerWebExchange exchange);

	/**
	 * Tells a client that sent no key what to do.
	 * @return a sentence or two
	 */
	default String advice() {
		return "This operation needs a key: send one, such as a random UUID, and the same one with each retry.";
	}

	/**
	 * A resolver of keys in a header.
	 * @param name the name of the header
	 * @param syntax the syntax of the keys
	 * @return the resolver
	 */
	static ReactiveKeyResolver header(String name, KeySyntax syntax) {
		return new ReactiveHeaderKeyResolver(name, syntax);
	}

}
