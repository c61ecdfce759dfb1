package dev.idempotency.web;

import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.ResponsePolicy;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * The rules for the responses of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which responses are stored
 * @param exceptionResolver renders exceptions outside of a dispatch
 * @param ends reports the end of requests
 * @param formLimits how containers limit forms
 */
record AnswerRules(KeptHeaders keptHeaders, ResponsePolicy policy, Supplier<HandlerExceptionResolver> exceptionResolver,
		RequestEnds ends, List<FormLimits> formLimits) {

	/**
	 * Renders an exception as the application would.
	 * @return what is left to render, or {@code null} if the application does not handle
	 * the exception
	 */
	@Nullable ModelAndView render(Exchange exchange, HttpServletResponse response, Object handler, Exception exception) {
		return this.exceptionResolver.get().resolveException(exchange.request(), response, handler, exception);
	}

}
