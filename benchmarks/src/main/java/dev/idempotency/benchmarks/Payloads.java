package dev.idempotency.benchmarks;

import java.nio.charset.StandardCharsets;

/**
 * Bodies of requests and responses in benchmarks.
 */
public final class Payloads {

	private static final int LINE = 130;

	private Payloads() {
	}

	/**
	 * An order in JSON, with as many lines as there is room for.
	 * @param size how many bytes it has
	 * @return the bytes
	 */
	public static byte[] json(int size) {
		StringBuilder json = new StringBuilder(size).append("{\"customer\":\"c-4711\",\"lines\":[");
		for (int i = 0; json.length() + LINE < size; i++) {
			json.append((i > 0) ? "," : "")
				.append("{\"item\":\"article-")
				.append(i)
				.append("\",\"quantity\":")
				.append(i % 7 + 1)
				.append(",\"price\":19.99,\"gift\":false,\"note\":\"to the \\\"front door\\\"\"}");
		}
		json.append("],\"note\":\"");
		json.append("x".repeat(Math.max(0, size - json.length() - 2))).append("\"}");
		return json.toString().getBytes(StandardCharsets.UTF_8);
	}

}
