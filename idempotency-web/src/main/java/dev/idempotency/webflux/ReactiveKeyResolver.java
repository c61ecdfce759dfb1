package dev.idempotency.webflux;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.http.KeySyntax;
import org.jspecify.annotations.Nullable;

import org.springframework.web.server.ServerWebExchange;

/**
 * Finds the key of a request whose handler does not say itself where its key comes from.
 * It must not block.
 */
@FunctionalInterface
public interface ReactiveKeyResolver {

	/**
	 * Finds the key of a request.
	 * @param exchange the request
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
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
	 * Finds keys in a header.
	 * @param name the name of the header
	 * @param syntax how keys are written
	 * @return the resolver
	 */
	static ReactiveKeyResolver header(String name, KeySyntax syntax) {
		return new ReactiveHeaderKeyResolver(name, syntax);
	}

}
