package dev.idempotency.http;

import dev.idempotency.IdempotencyKey;

/**
 * Decides whether a caller gets a stored response. It is asked before each replay, which
 * skips the handler and every rule that runs with it. On WebFlux it must not block.
 */
@FunctionalInterface
public interface ReplayAuthorizer {

	/**
	 * Decides whether a stored response is sent. After an exception, which is the
	 * application's own, nothing stored is sent.
	 * @param request the request that would get it
	 * @param key the key, with the operation, the caller and the tenant that it belongs
	 * to
	 * @param status the status of the stored response
	 * @return whether it is sent; otherwise the request gets 403
	 */
	boolean mayReplay(RequestFacts request, IdempotencyKey key, int status);

}
