package dev.idempotency.webflux;

import dev.idempotency.http.FinalAnswers;

import org.springframework.web.server.ServerWebExchange;

/**
 * Decides which responses are stored. If a response is not stored, the key is released,
 * and a retry runs again. It must not block.
 */
@FunctionalInterface
public interface ReactiveResponsePolicy {

	/**
	 * Decides whether a response is stored.
	 * @param exchange the request
	 * @param status the status of its response
	 * @return whether the response is stored
	 */
	boolean shouldStore(ServerWebExchange exchange, int status);

	/**
	 * Stores every response below 500, except those that ask the client to try again:
	 * 408, 409, 423, 425 and 429.
	 * @return the policy
	 */
	static ReactiveResponsePolicy finalAnswers() {
		return (exchange, status) -> FinalAnswers.include(status);
	}

}
