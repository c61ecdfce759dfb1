package dev.idempotency.http;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the key of a request whose handler declares no key of its own. On WebFlux it
 * must not block.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Resolves the key of a request.
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if the key cannot be used
	 */
	@Nullable String resolveKey(RequestFacts request);

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
	 */
	static KeyResolver header(String name, KeySyntax syntax) {
		return new HeaderKeyResolver(name, syntax);
	}

}
