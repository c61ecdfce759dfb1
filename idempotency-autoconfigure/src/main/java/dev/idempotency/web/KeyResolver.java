package dev.idempotency.web;

import dev.idempotency.IdempotencyKeyInvalidException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key of a request whose handler does not say itself where its key comes from.
 */
@FunctionalInterface
public interface KeyResolver {

	/**
	 * Finds the key of a request.
	 * @param request the request
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
	 */
	@Nullable String resolveKey(HttpServletRequest request);

	/**
	 * Finds keys in a header.
	 * @param name the name of the header
	 * @param syntax how keys are written
	 * @return the resolver
	 */
	static KeyResolver header(String name, KeySyntax syntax) {
		return (request) -> {
			KeyHeader.Parsed parsed = KeyHeader.parse(request.getHeaders(name), syntax);
			if (parsed instanceof KeyHeader.Parsed.Invalid invalid) {
				throw new IdempotencyKeyInvalidException(invalid.problem().advice());
			}
			return (parsed instanceof KeyHeader.Parsed.Key key) ? key.value() : null;
		};
	}

}
