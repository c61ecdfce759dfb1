package dev.idempotency.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of an operation as an operator gives it.
 */
public sealed interface GivenResult {

	/**
	 * An HTTP response.
	 */
	record Answer(int status, Map<String, List<String>> headers, String body) implements GivenResult {

		public Answer {
			headers = new LinkedHashMap<>(headers);
		}

	}

	/**
	 * The return value of a method.
	 *
	 * @param json the value as JSON
	 */
	record Value(String json) implements GivenResult {
	}

}
