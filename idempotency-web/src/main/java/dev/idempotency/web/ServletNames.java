package dev.idempotency.web;

import dev.idempotency.http.OperationNames;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.servlet.HandlerMapping;

/**
 * What the keys of a container's requests are remembered under.
 */
final class ServletNames {

	private final OperationNames names = new OperationNames();

	/**
	 * What the key of a request is remembered under, where that is needed now and then.
	 */
	static String name(HttpServletRequest request) {
		Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		return OperationNames.name(request.getMethod(),
				(pattern != null) ? pattern.toString() : request.getRequestURI());
	}

	/**
	 * What the key of a request is remembered under.
	 */
	String of(HttpServletRequest request) {
		return this.names.of(request.getMethod(), request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE),
				request.getRequestURI());
	}

}
