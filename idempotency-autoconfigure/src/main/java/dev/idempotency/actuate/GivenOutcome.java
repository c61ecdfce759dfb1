package dev.idempotency.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.core.GivenResult;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an abandoned operation, as an operator sends it.
 *
 * @param status the status of the response
 * @param contentType the content type of the response
 * @param headers further headers of the response, one per line
 * @param body the body of the response
 * @param value the value that the method returned, in JSON
 */
record GivenOutcome(@Nullable Integer status, @Nullable String contentType, @Nullable String headers,
		@Nullable String body, @Nullable String value) {

	private static final String JSON = "application/json";

	boolean isEmpty() {
		return !isAnswer() && this.value == null;
	}

	private boolean isAnswer() {
		return this.status != null || this.contentType != null || this.headers != null || this.body != null;
	}

	/**
	 * Returns the result.
	 * @return {@code null} if there is none
	 */
	@Nullable GivenResult toResult() {
		if (this.value != null) {
			if (isAnswer()) {
				throw RecordActions
					.invalid("value excludes status, contentType, headers and body: a result is a response or a value");
			}
			return new GivenResult.Value(this.value);
		}
		if (!isAnswer()) {
			return null;
		}
		if (this.status == null) {
			throw RecordActions.invalid("status is missing: a response needs a status");
		}
		return new GivenResult.Answer(this.status, allHeaders(), (this.body != null) ? this.body : "");
	}

	private Map<String, List<String>> allHeaders() {
		Map<String, List<String>> all = new LinkedHashMap<>();
		if (this.contentType != null) {
			all.put("Content-Type", List.of(this.contentType));
		}
		else if (this.body != null && !this.body.isEmpty()) {
			all.put("Content-Type", List.of(JSON));
		}
		if (this.headers != null) {
			this.headers.lines().filter((line) -> !line.isBlank()).forEach((line) -> add(all, line));
		}
		return all;
	}

	private static void add(Map<String, List<String>> all, String line) {
		int colon = line.indexOf(':');
		if (colon < 1) {
			throw RecordActions.invalid("headers must have a line for each header, such as Location: /payments/1");
		}
		String name = line.substring(0, colon).strip();
		if (name.equalsIgnoreCase("Content-Type")) {
			throw RecordActions.invalid("headers: give the content type as contentType");
		}
		String known = all.keySet().stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
		all.computeIfAbsent(known, (header) -> new ArrayList<>()).add(line.substring(colon + 1).strip());
	}

}
