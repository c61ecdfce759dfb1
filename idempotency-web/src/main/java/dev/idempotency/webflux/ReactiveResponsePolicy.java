package dev.idempotency.webflux;

import dev.idempotency.http.FinalAnswers;

import org.springframework.web.server.ServerWebExchange;

/**
 * Says which answers are stored. For one that is not, the key is given back, and a retry
 * runs again. It must not block.
 */
@FunctionalInterface
public interface ReactiveResponsePolicy {

	/**
	 * Says whether an answer is stored.
	 * @param exchange the request
	 * @param status the status of its answer
	 * @return whether the answer is stored
	 */
	boolean shouldStore(ServerWebExchange exchange, int status);

	/**
	 * Stores every answer below 500, but none that asks the client to try again: 408,
	 * 409, 423, 425 and 429.
	 * @return the policy
	 */
	static ReactiveResponsePolicy finalAnswers() {
		return (exchange, status) -> FinalAnswers.include(status);
	}

}
