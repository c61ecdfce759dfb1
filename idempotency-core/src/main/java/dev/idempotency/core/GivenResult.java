package dev.idempotency.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an operator says an operation came to.
 */
public sealed interface GivenResult {

	/**
	 * An answer to a request.
	 *
	 * @param status its status code
	 * @param headers its headers
	 * @param body its body
	 */
	record Answer(int status, Map<String, List<String>> headers, String body) implements GivenResult {

		public Answer {
			headers = new LinkedHashMap<>(headers);
		}

	}

	/**
	 * What a method returned.
	 *
	 * @param json the value as JSON
	 */
	record Value(String json) implements GivenResult {
	}

}
