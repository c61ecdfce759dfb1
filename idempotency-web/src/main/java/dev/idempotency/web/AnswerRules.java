package dev.idempotency.web;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.KeptHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * What holds for the answers of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which answers are stored
 * @param problemRenderer answers with a problem where no handler can
 * @param ends tells of the end of requests
 */
record AnswerRules(KeptHeaders keptHeaders, ResponsePolicy policy, ProblemRenderer problemRenderer, RequestEnds ends) {

	/**
	 * Answers with a problem, as the application would.
	 */
	@FunctionalInterface
	interface ProblemRenderer {

		void render(HttpServletRequest request, HttpServletResponse response, Object handler,
				IdempotencyException problem);

	}

}
