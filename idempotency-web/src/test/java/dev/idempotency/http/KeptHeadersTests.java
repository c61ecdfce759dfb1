package dev.idempotency.http;

import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeptHeadersTests {

	private final KeptHeaders headers = new KeptHeaders(List.of("X-Secret"));

	@ParameterizedTest
	@ValueSource(strings = { "Location", "ETag", "Content-Type", "Content-Language", "Content-Disposition",
			"Cache-Control", "Last-Modified", "Link", "Retry-After", "Vary", "X-Request-Id", "X-Secret-Other", "Allow",
			"WWW-Authenticate", "Access-Controlled", "X-B3" })
	void keepsWhatBelongsToTheAnswer(String name) {
		assertThat(isKept(name)).containsOnly(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Connection", "Keep-Alive", "Proxy-Authenticate", "TE", "Trailer", "Transfer-Encoding",
			"Upgrade" })
	void dropsWhatBelongsToTheConnection(String name) {
		assertThat(isKept(name)).containsOnly(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Date", "Server", "Set-Cookie", "Set-Cookie2", "Content-Length" })
	void dropsWhatBelongsToTheTimeItWasSent(String name) {
		assertThat(isKept(name)).containsOnly(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
			"Access-Control-Expose-Headers", "Access-Control-Max-Age" })
	void dropsWhatBelongsToTheOriginThatAsked(String name) {
		assertThat(isKept(name)).containsOnly(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "traceparent", "tracestate", "traceresponse", "baggage", "b3", "X-B3-TraceId",
			"X-B3-SpanId", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "uber-trace-id" })
	void dropsWhatBelongsToATrace(String name) {
		assertThat(isKept(name)).containsOnly(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Idempotent-Replayed", "Idempotency-Effect", "Idempotency-Expires" })
	void dropsWhatItWritesItself(String name) {
		assertThat(isKept(name)).containsOnly(false);
	}

	@Test
	void dropsWhatTheSettingsName() {
		assertThat(isKept("X-Secret")).containsOnly(false);
	}

	/**
	 * However the name is written.
	 */
	private List<Boolean> isKept(String name) {
		return List.of(this.headers.isKept(name), this.headers.isKept(name.toLowerCase(Locale.ROOT)),
				this.headers.isKept(name.toUpperCase(Locale.ROOT)));
	}

}
