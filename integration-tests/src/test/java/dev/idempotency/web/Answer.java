package dev.idempotency.web;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client saw.
 */
@SuppressWarnings("ArrayRecordComponent")
public record Answer(int status, Map<String, List<String>> headers, byte[] body) {

	private static final Set<String> OF_THIS_TIME = Set.of("date", "connection", "keep-alive", "idempotent-replayed",
			"idempotency-effect");

	static Answer of(HttpResponse<byte[]> response) {
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		headers.putAll(response.headers().map());
		return new Answer(response.statusCode(), headers, response.body());
	}

	public String text() {
		return new String(this.body, StandardCharsets.UTF_8);
	}

	public String header(String name) {
		return String.join(", ", this.headers.getOrDefault(name, List.of()));
	}

	public boolean isReplay() {
		return header("Idempotent-Replayed").equals("true");
	}

	public String effect() {
		return header("Idempotency-Effect");
	}

	/**
	 * Expects that the request was refused before anything ran.
	 */
	void assertProblem(int status, String type) {
		assertThat(this.status).as("%s", this).isEqualTo(status);
		assertThat(text()).contains("\"type\":\"urn:idempotency:%s\"".formatted(type));
		assertThat(effect()).isEqualTo("none");
	}

	/**
	 * Expects that another request with the key is still running.
	 */
	void assertInProgress() {
		assertProblem(409, "in-progress");
		assertThat(Integer.parseInt(header("Retry-After"))).isPositive();
	}

	/**
	 * Expects that nothing ran, and that an earlier answer was sent again.
	 */
	void assertReplayOf(Answer first) {
		assertThat(isReplay()).as("%s", this).isTrue();
		assertThat(effect()).isEqualTo("noop");
		assertThat(this.status).isEqualTo(first.status);
		assertThat(this.body).isEqualTo(first.body);
	}

	/**
	 * Expects the same with all headers that last.
	 */
	void assertExactReplayOf(Answer first) {
		assertReplayOf(first);
		assertThat(lastingHeaders()).isEqualTo(first.lastingHeaders());
	}

	/**
	 * All headers but those that tell one sending from another.
	 */
	Map<String, List<String>> lastingHeaders() {
		Map<String, List<String>> lasting = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		lasting.putAll(this.headers);
		OF_THIS_TIME.forEach(lasting::remove);
		return lasting;
	}

	@Override
	public String toString() {
		String text = text();
		return this.status + " " + this.headers + " " + text.substring(0, Math.min(text.length(), 400));
	}

}
