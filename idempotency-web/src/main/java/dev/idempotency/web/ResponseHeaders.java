package dev.idempotency.web;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.http.KeptHeaders;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A snapshot of the headers of a response.
 *
 * @param values the values of each header
 */
record ResponseHeaders(Map<String, List<String>> values) {

	private static final ResponseHeaders NONE = new ResponseHeaders(Map.of());

	static ResponseHeaders of(HttpServletResponse response) {
		Collection<String> names = response.getHeaderNames();
		if (names.isEmpty()) {
			return NONE;
		}
		Map<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		for (String name : names) {
			values.put(name, List.copyOf(response.getHeaders(name)));
		}
		return new ResponseHeaders(values);
	}

	/**
	 * The headers that were added, changed or removed since. A removed header has no
	 * values. Unchanged headers come from filters and interceptors that write them on
	 * each response anyway.
	 */
	static Map<String, List<String>> changed(HttpServletResponse response, ResponseHeaders before, KeptHeaders kept) {
		// Few responses have a header other than the type
		Map<String, List<String>> changed = Map.of();
		for (String name : response.getHeaderNames()) {
			if (!changed.containsKey(name) && !name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) && kept.isKept(name)) {
				List<String> now = List.copyOf(response.getHeaders(name));
				if (!now.equals(before.values.get(name))) {
					changed = with(changed, name, now);
				}
			}
		}
		for (String name : before.values.keySet()) {
			if (!response.containsHeader(name) && !name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)
					&& kept.isKept(name)) {
				changed = with(changed, name, List.of());
			}
		}
		String contentType = response.getContentType();
		return (contentType != null) ? with(changed, HttpHeaders.CONTENT_TYPE, List.of(contentType)) : changed;
	}

	/**
	 * Adds a header at the end. The given map may be modified.
	 */
	static Map<String, List<String>> with(Map<String, List<String>> headers, String name, List<String> values) {
		if (headers.isEmpty()) {
			return Map.of(name, values);
		}
		Map<String, List<String>> more = (headers instanceof LinkedHashMap) ? headers : new LinkedHashMap<>(headers);
		more.put(name, values);
		return more;
	}

	/**
	 * Resets a response, and restores its headers.
	 */
	void restore(HttpServletResponse response) {
		response.reset();
		this.values.forEach((name, list) -> list.forEach((value) -> response.addHeader(name, value)));
	}

	static void write(HttpServletResponse response, String name, List<String> values) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			response.setContentType(first(values));
			return;
		}
		// Without a value, this removes what other code has written
		response.setHeader(name, first(values));
		for (int i = 1; i < values.size(); i++) {
			response.addHeader(name, values.get(i));
		}
	}

	private static @Nullable String first(List<String> list) {
		return list.isEmpty() ? null : list.get(0);
	}

}
