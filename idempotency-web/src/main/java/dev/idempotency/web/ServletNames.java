package dev.idempotency.web;

import dev.idempotency.http.OperationNames;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.servlet.HandlerMapping;

/**
 * The names of the operations of servlet requests, under which keys are stored.
 */
final class ServletNames {

	private final OperationNames names = new OperationNames();

	/**
	 * The name of the operation of a request, for occasional use: it is not cached.
	 */
	static String name(HttpServletRequest request) {
		Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		return OperationNames.name(request.getMethod(),
				(pattern != null) ? pattern.toString() : request.getRequestURI());
	}

	/**
	 * The name of the operation of a request.
	 */
	String of(HttpServletRequest request) {
		return this.names.of(request.getMethod(), request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE),
				request.getRequestURI());
	}

}
