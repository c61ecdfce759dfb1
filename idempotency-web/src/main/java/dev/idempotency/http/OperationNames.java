package dev.idempotency.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The names of operations, which are part of the scope of keys. Each operation has one
 * string, however many records use it.
 */
final class OperationNames {

	private final Map<String, Names> known = new ConcurrentHashMap<>();

	/**
	 * The name of the operation of a route.
	 * @param method the method of its requests
	 * @param pattern the pattern of its path
	 */
	public static String name(String method, String pattern) {
		return method + " " + pattern;
	}

	/**
	 * The name of the operation of a request.
	 * @param method the method of the request
	 * @param pattern the pattern of its route, or {@code null} if it has none
	 * @param path the path of the request
	 */
	public String of(String method, @Nullable Object pattern, String path) {
		if (pattern == null) {
			return name(method, path);
		}
		Names names = this.known.computeIfAbsent(pattern.toString(), Names::of);
		return switch (method) {
			case "POST" -> names.post();
			case "PUT" -> names.put();
			case "PATCH" -> names.patch();
			case "DELETE" -> names.delete();
			// Not cached, since clients can make up any number of methods
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
