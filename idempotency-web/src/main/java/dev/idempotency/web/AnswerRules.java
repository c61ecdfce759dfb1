package dev.idempotency.web;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.ResponsePolicy;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * The rules for the responses of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which responses are stored
 * @param problemRenderer renders a problem where no handler can
 * @param ends reports the end of requests
 */
record AnswerRules(KeptHeaders keptHeaders, ResponsePolicy policy, ProblemRenderer problemRenderer, RequestEnds ends) {

	/**
	 * Renders a problem as the application would.
	 */
	@FunctionalInterface
	interface ProblemRenderer {

		void render(HttpServletRequest request, HttpServletResponse response, Object handler,
				IdempotencyException problem);

	}

}
