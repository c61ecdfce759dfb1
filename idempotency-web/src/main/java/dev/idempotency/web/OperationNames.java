package dev.idempotency.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.servlet.HandlerMapping;

/**
 * What the keys of requests are remembered under: one text for each operation, however
 * many records have it.
 */
final class OperationNames {

	private final Map<String, Names> known = new ConcurrentHashMap<>();

	/**
	 * What the key of a request is remembered under, where that is needed now and then.
	 */
	static String name(HttpServletRequest request) {
		Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		return name(request.getMethod(), (pattern != null) ? pattern.toString() : request.getRequestURI());
	}

	/**
	 * What the keys of a route are remembered under.
	 */
	static String name(String method, String pattern) {
		return method + " " + pattern;
	}

	/**
	 * What the key of a request is remembered under.
	 */
	String of(HttpServletRequest request) {
		String method = request.getMethod();
		Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		if (pattern == null) {
			return name(request);
		}
		Names names = this.known.computeIfAbsent(pattern.toString(), Names::of);
		return switch (method) {
			case "POST" -> names.post();
			case "PUT" -> names.put();
			case "PATCH" -> names.patch();
			case "DELETE" -> names.delete();
			// Whatever clients make up is not kept
			default -> name(method, pattern.toString());
		};
	}

	/**
	 * The names of one pattern.
	 */
	private record Names(String post, String put, String patch, String delete) {

		private static Names of(String pattern) {
			return new Names(name("POST", pattern), name("PUT", pattern), name("PATCH", pattern),
					name("DELETE", pattern));
		}

	}

}
