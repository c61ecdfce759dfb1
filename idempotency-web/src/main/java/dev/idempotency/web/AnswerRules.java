package dev.idempotency.web;

import java.util.List;

import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.ResponsePolicy;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.ModelAndView;

/**
 * The rules for the responses of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which responses are stored
 * @param exceptionRenderer renders an exception outside of a dispatch
 * @param ends reports the end of requests
 * @param formLimits how containers limit forms
 */
record AnswerRules(KeptHeaders keptHeaders, ResponsePolicy policy, ExceptionRenderer exceptionRenderer,
		RequestEnds ends, List<FormLimits> formLimits) {

	/**
	 * Renders an exception as the application would.
	 */
	@FunctionalInterface
	interface ExceptionRenderer {

		/**
		 * Renders an exception.
		 * @return what is left to render, or {@code null} if the application does not
		 * handle the exception
		 */
		@Nullable ModelAndView render(HttpServletRequest request, HttpServletResponse response, Object handler,
				Exception exception);

	}

}
