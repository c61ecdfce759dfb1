package dev.idempotency.http;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a form whose body was read ahead of the container, which can no
 * longer parse it.
 */
public final class FormParameters {

	/**
	 * The most parameters of a form. One of 1 MB could have half a million.
	 */
	static final int MAX_COUNT = 10_000;

	private FormParameters() {
	}

	/**
	 * Parses a form.
	 * @param query the parameters of the query, which come first
	 * @param charset the charset of the body
	 * @return the parameters of both
	 * @throws IllegalArgumentException if the form is malformed or has too many
	 * parameters
	 */
	public static Map<String, String[]> parse(Map<String, String[]> query, byte[] body, Charset charset) {
		Map<String, List<String>> values = new LinkedHashMap<>();
		query.forEach((name, given) -> values.put(name, new ArrayList<>(List.of(given))));
		String text = new String(body, charset);
		int count = 0;
		for (int start = 0; start < text.length();) {
			int ampersand = text.indexOf('&', start);
			int end = (ampersand >= 0) ? ampersand : text.length();
			if (end > start) {
				if (++count > MAX_COUNT) {
					throw new IllegalArgumentException("The form has more than %d parameters".formatted(MAX_COUNT));
				}
				// Cut out first, so that a search without a match ends with the pair
				String pair = text.substring(start, end);
				int equals = pair.indexOf('=');
				String name = URLDecoder.decode((equals >= 0) ? pair.substring(0, equals) : pair, charset);
				String value = (equals >= 0) ? URLDecoder.decode(pair.substring(equals + 1), charset) : "";
				values.computeIfAbsent(name, (key) -> new ArrayList<>()).add(value);
			}
			start = end + 1;
		}
		Map<String, String[]> parameters = new LinkedHashMap<>();
		values.forEach((name, list) -> parameters.put(name, list.toArray(String[]::new)));
		return Collections.unmodifiableMap(parameters);
	}

	/**
	 * The first value of a parameter.
	 * @param parameters all parameters
	 * @param name the name of the parameter
	 * @return its value, or {@code null} if it has none
	 */
	public static @Nullable String first(Map<String, String[]> parameters, String name) {
		String[] values = parameters.get(name);
		return (values != null && values.length > 0) ? values[0] : null;
	}

}
