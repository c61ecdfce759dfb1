package dev.idempotency.web;

import dev.idempotency.http.FinalAnswers;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Says which answers are stored. For one that is not, the key is given back, and a retry
 * runs again.
 */
@FunctionalInterface
public interface ResponsePolicy {

	/**
	 * Says whether an answer is stored.
	 * @param request the request
	 * @param status the status of its answer
	 * @return whether the answer is stored
	 */
	boolean shouldStore(HttpServletRequest request, int status);

	/**
	 * Stores every answer below 500, but none that asks the client to try again: 408,
	 * 409, 423, 425 and 429.
	 * @return the policy
	 */
	static ResponsePolicy finalAnswers() {
		return (request, status) -> FinalAnswers.include(status);
	}

}
