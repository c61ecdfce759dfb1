package dev.idempotency.web;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The largest body of a protected request is the same whether bodies are compared or not,
 * and whether their length is announced or not.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BodyLimitTests implements Container.Choice {

	static final int LIMIT = 1024;

	private static final String TEXT = "text/plain";

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final String MULTIPART = "multipart/form-data; boundary=xx";

	@AutoClose
	private final TestServer compared = start("canonical-json", "enforce");

	@AutoClose
	final TestServer uncompared = start("none", "enforce");

	@AutoClose
	private final TestServer observed = start("none", "observe");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	private TestServer start(String fingerprint, String mode) {
		return start(List.of(WebTestApplication.class, Endpoints.class), "idempotency.http.max-request-body=1KB",
				"idempotency.http.fingerprint=" + fingerprint, "idempotency.mode=" + mode);
	}

	private Stream<Target> targets() {
		return Stream.of(this.compared, this.uncompared)
			.flatMap((server) -> paths().stream().map((path) -> new Target(server, path)));
	}

	List<String> paths() {
		return List.of("/compared", "/alone", "/alone-route", "/form", "/form-key", "/upload");
	}

	@ParameterizedTest
	@MethodSource("targets")
	void holdsForABodyWhoseLengthIsKnown(Target target) {
		String key = TestServer.newKey();
		target.known(key, LIMIT + 1).assertProblem(413, "body-too-large");
		assertThat(target.known(key, LIMIT).text()).endsWith(" got " + LIMIT);
		assertThat(target.known(key, LIMIT).isReplay()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("targets")
	void holdsForABodyWhoseLengthIsNotKnown(Target target) {
		String key = TestServer.newKey();
		target.chunked(key, LIMIT + 1).assertProblem(413, "body-too-large");
		assertThat(target.chunked(key, LIMIT).text()).contains(" got " + LIMIT);
		assertThat(target.chunked(key, LIMIT).isReplay()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("targets")
	void holdsForADryRun(Target target) {
		assertThat(target.call(TestServer.newKey(), LIMIT + 1).dryRun().send().status()).isEqualTo(413);
	}

	@Test
	void doesNotHoldWithoutProtection() {
		for (String path : List.of("/plain", "/optional")) {
			Target target = new Target(this.uncompared, path);
			assertThat(target.known(null, LIMIT + 1).text()).endsWith(" got 1025");
			assertThat(target.chunked(null, 100 * LIMIT).text()).contains(" got 102400");
		}
		new Target(this.uncompared, "/optional").known(TestServer.newKey(), LIMIT + 1)
			.assertProblem(413, "body-too-large");
	}

	@Test
	void isOnlyWatchedWhereNothingIsEnforced() {
		for (String path : List.of("/compared", "/alone", "/form", "/upload")) {
			Target target = new Target(this.observed, path);
			assertThat(target.known(TestServer.newKey(), 3 * LIMIT).text()).endsWith(" got 3072");
			assertThat(target.chunked(TestServer.newKey(), 3 * LIMIT).text()).contains(" got 3072");
		}
	}

	@Test
	void aHandlerWithoutABodyRuns() {
		Answer answer = this.uncompared.post("/alone").key(TestServer.newKey()).send();
		assertThat(answer.text()).endsWith(" got 0");
	}

	/**
	 * A handler.
	 */
	record Target(TestServer server, String path) {

		private String type() {
			return this.path.startsWith("/form") ? FORM : this.path.equals("/upload") ? MULTIPART : TEXT;
		}

		/**
		 * A body of a size; of a multipart body the parts count.
		 */
		String body(String key, int size) {
			return switch (type()) {
				case FORM -> {
					String start = "request=" + key + "&note=";
					yield start + "x".repeat(size - start.length());
				}
				case MULTIPART -> "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
						+ "x".repeat(size) + "\r\n--xx--\r\n";
				default -> "x".repeat(size);
			};
		}

		TestServer.Call call(@Nullable String key, int size) {
			return this.server.post(this.path).key(key).body(type(), body(String.valueOf(key), size));
		}

		Answer known(@Nullable String key, int size) {
			return call(key, size).send();
		}

		Answer chunked(@Nullable String key, int size) {
			RawClient client = RawClient.post(this.server, this.path);
			if (key != null) {
				client.header("Idempotency-Key", key);
			}
			return client.chunked(type(), body(String.valueOf(key), size)).send();
		}

		@Override
		public String toString() {
			return this.path;
		}

	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/plain")
		String plain(HttpServletRequest request) throws IOException {
			return got("plain", request.getInputStream().readAllBytes().length);
		}

		@PostMapping("/optional")
		@Idempotent(required = false, fingerprint = false)
		String optional(HttpServletRequest request) throws IOException {
			return got("optional", request.getInputStream().readAllBytes().length);
		}

		@PostMapping("/compared")
		@Idempotent
		String compared(HttpServletRequest request) throws IOException {
			return got("compared", request.getInputStream().readAllBytes().length);
		}

		@PostMapping("/alone")
		@Idempotent(fingerprint = false)
		String alone(HttpServletRequest request) throws IOException {
			return got("alone", request.getInputStream().readAllBytes().length);
		}

		@Bean
		RouterFunction<ServerResponse> route(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/alone-route",
						(request) -> ServerResponse.ok()
							.body(got("route", request.servletRequest().getInputStream().readAllBytes().length)))
				.filter(idempotency.withoutFingerprint())
				.build();
		}

		@PostMapping("/form")
		@Idempotent(fingerprint = false)
		String form(@RequestParam String request, @RequestParam String note) {
			return got("form", "request=&note=".length() + request.length() + note.length());
		}

		@PostMapping("/form-key")
		@Idempotent(key = "query('request')", fingerprint = false)
		String formKey(@RequestParam String request, @RequestParam String note) {
			return got("form-key", "request=&note=".length() + request.length() + note.length());
		}

		@PostMapping("/upload")
		@Idempotent(fingerprint = false)
		String upload(@RequestParam MultipartFile file) {
			return got("upload", (int) file.getSize());
		}

		private String got(String name, int bytes) {
			return this.executions.next(name) + " got " + bytes;
		}

	}

}
