package dev.idempotency.web;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.Reason;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyWebMvcAutoConfiguration;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEvent;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the settings of the HTTP edge change.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class HttpSettingsTests {

	@AutoClose
	private final TestServer server = start(
			List.of(WebTestApplication.class, Events.class, Annotated.class, Unannotated.class),
			"idempotency.http.protect=unsafe-methods", "idempotency.http.fingerprint=bytes",
			"idempotency.http.excluded-headers=X-Secret,x-internal");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Nested
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	class Observing {

		@AutoClose
		private final TestServer observed = HttpSettingsTests.this.start(
				List.of(WebTestApplication.class, Events.class, Turnstile.class, Annotated.class, Held.class),
				"idempotency.mode=observe", "idempotency.http.max-request-body=1KB");

		@BeforeEach
		void clear() {
			this.observed.bean(Events.class).clear();
			this.observed.executions().clear();
		}

		@Test
		void runsARetryAgain() {
			String key = TestServer.newKey();
			Answer first = this.observed.post("/annotated").key(key).json("{}").send();
			Answer second = this.observed.post("/annotated").key(key).json("{}").send();
			for (Answer answer : List.of(first, second)) {
				assertThat(answer.status()).isEqualTo(201);
				assertThat(answer.isReplay()).isFalse();
				assertThat(answer.effect()).isEqualTo("created");
			}
			assertThat(this.observed.executions().of("annotated")).isEqualTo(2);
			assertThat(unenforced()).singleElement().isInstanceOf(Decision.Replay.class);
		}

		@Test
		void runsAnotherRequestWithTheSameKey() {
			String key = TestServer.newKey();
			this.observed.post("/annotated").key(key).json("{\"a\":1}").send();
			assertThat(this.observed.post("/annotated").key(key).json("{\"a\":2}").send().status()).isEqualTo(201);
			assertThat(unenforced()).extracting(Decision::reason).containsExactly(Reason.KEY_REUSED);
		}

		@Test
		void runsBesidesARunningTwin() {
			String key = TestServer.newKey();
			Turnstile turnstile = this.observed.bean(Turnstile.class);
			CompletableFuture<Answer> one = turnstile.hold(this.observed.post("/held").key(key));
			CompletableFuture<Answer> two = turnstile.hold(this.observed.post("/held").key(key));
			assertThat(turnstile.letGo(List.of(one, two))).extracting(Answer::status).containsOnly(200);
			assertThat(unenforced()).extracting(Decision::reason).containsExactly(Reason.IN_PROGRESS);
		}

		private List<Decision.Answer> unenforced() {
			return this.observed.bean(Events.class)
				.of(IdempotencyEvent.Decided.class)
				.stream()
				.filter((event) -> !event.enforced())
				.map(IdempotencyEvent.Decided::answer)
				.toList();
		}

		@ParameterizedTest
		@CsvSource({ ", KEY_MISSING", "two words, KEY_INVALID" })
		void runsWithoutAUsableKey(@Nullable String key, Reason reason) {
			Answer answer = this.observed.post("/annotated").key(key).json("{}").send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(201);
			assertThat(answer.isReplay()).isFalse();
			assertRejected("POST /annotated", reason);
		}

		@Test
		void runsWithABodyThatIsTooLarge() {
			String body = "x".repeat(100_000);
			Answer known = this.observed.post("/annotated").key(TestServer.newKey()).body("text/plain", body).send();
			assertThat(known.text()).contains("with 100000 characters");
			assertRejected("POST /annotated", Reason.BODY_TOO_LARGE);
			Answer chunked = RawClient.post(this.observed, "/annotated")
				.header("Idempotency-Key", TestServer.newKey())
				.chunked("text/plain", body)
				.send();
			assertThat(chunked.text()).contains("with 100000 characters");
		}

		@Test
		void runsWithAFormThatIsTooLarge() {
			String form = "note=" + "x".repeat(100_000);
			String type = "application/x-www-form-urlencoded";
			Answer known = this.observed.post("/annotated/form").key(TestServer.newKey()).body(type, form).send();
			assertThat(known.text()).contains("with 100000 characters");
			assertRejected("POST /annotated/form", Reason.BODY_TOO_LARGE);
			Answer chunked = RawClient.post(this.observed, "/annotated/form")
				.header("Idempotency-Key", TestServer.newKey())
				.chunked(type, form)
				.send();
			assertThat(chunked.text()).contains("with 100000 characters");
		}

		private void assertRejected(String operation, Reason reason) {
			assertThat(this.observed.bean(Events.class).of(IdempotencyEvent.Rejected.class))
				.containsExactly(new IdempotencyEvent.Rejected(operation, reason, false));
		}

	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PATCH" })
	void protectsUnsafeMethodsWithoutAnAnnotation(String method) {
		assertThat(this.server.call(method, "/unannotated").send().status()).isEqualTo(400);
		String key = TestServer.newKey();
		Answer first = this.server.call(method, "/unannotated").key(key).send();
		assertThat(first.status()).isEqualTo(200);
		Answer again = this.server.call(method, "/unannotated").key(key).send();
		again.assertReplayOf(first);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PUT", "DELETE", "GET" })
	void leavesMethodsAloneThatAreIdempotentByThemselves(String method) {
		String key = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.call(method, "/unannotated").key(key).send();
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.headers()).doesNotContainKeys("Idempotency-Effect", "Idempotent-Replayed");
		}
		assertThat(this.server.call(method, "/unannotated").send().status()).isEqualTo(200);
	}

	@Test
	void protectsThemWhereTheyAreAnnotated() {
		assertThat(this.server.call("PUT", "/annotated").json("{}").send().status()).isEqualTo(400);
		assertThat(this.server.call("DELETE", "/annotated").send().status()).isEqualTo(400);
		Answer put = this.server.call("PUT", "/annotated").key(TestServer.newKey()).json("{}").send();
		assertThat(put.effect()).isEqualTo("updated");
		Answer delete = this.server.call("DELETE", "/annotated").key(TestServer.newKey()).send();
		assertThat(delete.effect()).isEqualTo("deleted");
	}

	@Test
	void leavesAHandlerAloneThatOptsOut() {
		Answer answer = this.server.post("/unannotated/opts-out").send();
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.headers()).doesNotContainKey("Idempotency-Effect");
	}

	@Test
	void leavesTheErrorControllerAlone() {
		assertThat(this.server.post("/nowhere").send().status()).isEqualTo(404);
		assertThat(this.server.post("/error").send().text()).doesNotContain("urn:idempotency");
		Answer failed = this.server.post("/unannotated/fails").key(TestServer.newKey()).send();
		assertThat(failed.status()).isEqualTo(500);
		assertThat(failed.text()).contains("\"path\":\"/unannotated/fails\"");
	}

	@Test
	void comparesEveryByteWhereTheSettingsSaySo() {
		String key = TestServer.newKey();
		this.server.post("/annotated").key(key).json("{\"a\":1,\"b\":2}").send();
		assertThat(this.server.post("/annotated").key(key).json("{\"a\":1,\"b\":2}").send().isReplay()).isTrue();
		assertThat(this.server.post("/annotated").key(key).json("{\"b\":2,\"a\":1}").send().status()).isEqualTo(422);
	}

	@Test
	void comparesNothingWhereTheSettingsSaySo() {
		try (TestServer incurious = start(List.of(WebTestApplication.class, Annotated.class),
				"idempotency.http.fingerprint=none")) {
			String key = TestServer.newKey();
			Answer first = incurious.post("/annotated").key(key).json("{\"a\":1}").send();
			Answer other = incurious.post("/annotated?b=2").key(key).body("text/plain", "else").send();
			other.assertReplayOf(first);
		}
	}

	@Test
	void repeatsTheHeadersOfAnAnswerButNotThoseOfItsTime() {
		String key = TestServer.newKey();
		Answer first = headers(key, "https://one.example");
		Answer again = headers(key, "https://two.example");
		assertThat(again.isReplay()).isTrue();
		assertThat(first.headers()).containsKeys("Set-Cookie", "traceparent", "X-B3-TraceId", "X-Secret", "X-Internal");
		assertThat(first.header("Access-Control-Allow-Origin")).isEqualTo("https://one.example");
		Map<String, List<String>> expected = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		expected.putAll(first.lastingHeaders());
		List.of("Set-Cookie", "traceparent", "X-B3-TraceId", "X-Secret", "X-Internal").forEach(expected::remove);
		expected.put("Access-Control-Allow-Origin", List.of("https://two.example"));
		assertThat(again.lastingHeaders()).isEqualTo(expected);
		assertThat(again.lastingHeaders()).containsEntry("Location", List.of("/things/7"))
			.containsEntry("ETag", List.of("\"v7\""))
			.containsEntry("X-Item", List.of("second", "first"))
			.containsEntry("Content-Language", List.of("de"))
			.containsEntry("Expires", first.headers().get("Expires"));
	}

	private Answer headers(String key, String origin) {
		return this.server.post("/annotated/headers").key(key).header("Origin", origin).send();
	}

	@Test
	void listsWhatNothingProtects(CapturedOutput output) {
		startUp(Unannotated.class, "idempotency.http.unprotected=warn");
		assertThat(output.toString()).contains("The following unsafe handlers are not protected:")
			.containsOnlyOnce("- DELETE /unannotated (")
			.containsOnlyOnce("- PATCH /unannotated (")
			.containsOnlyOnce("- POST /unannotated (dev.idempotency.web.HttpSettingsTests$Unannotated#any")
			.containsOnlyOnce("- PUT /unannotated (")
			.containsOnlyOnce("- POST /unannotated/fails (")
			.doesNotContain("- GET", "opts-out", "/error");
	}

	@Test
	void listsOnlyWhatIsLeftWhereUnsafeMethodsAreProtected(CapturedOutput output) {
		startUp(Unannotated.class, "idempotency.http.unprotected=warn", "idempotency.http.protect=unsafe-methods");
		assertThat(output.toString()).contains("- DELETE /unannotated (", "- PUT /unannotated (")
			.doesNotContain("- POST", "- PATCH", "- GET");
	}

	@Test
	void listsNothingWhereEverythingIsProtected(CapturedOutput output) {
		startUp(Annotated.class, "idempotency.http.unprotected=warn");
		startUp(Annotated.class, "idempotency.http.unprotected=fail");
		assertThat(output).doesNotContain("not protected");
	}

	@Test
	void listsNothingByDefault(CapturedOutput output) {
		startUp(Unannotated.class);
		assertThat(output).doesNotContain("not protected");
	}

	@Test
	void warnsOfAnAnnotationThatDoesNothing(CapturedOutput output) {
		startUp(Safe.class);
		assertThat(output.toString()).containsOnlyOnce("@Idempotent on")
			.contains("HttpSettingsTests$Safe#read() does nothing: requests of [GET] are safe to repeat as they are");
	}

	void startUp(Class<?> controller, String... properties) {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DispatcherServletAutoConfiguration.class,
					WebMvcAutoConfiguration.class, ErrorMvcAutoConfiguration.class, IdempotencyAutoConfiguration.class,
					IdempotencyWebMvcAutoConfiguration.class))
			.withBean(Executions.class)
			.withUserConfiguration(controller)
			.withPropertyValues("idempotency.store=memory")
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void refusesToStartWithAHandlerThatNothingProtects(CapturedOutput output) {
		assertThatThrownBy(
				() -> start(List.of(WebTestApplication.class, Unannotated.class), "idempotency.http.unprotected=fail"))
			.isInstanceOf(IdempotencyConfigurationException.class);
		assertThat(output.toString()).contains("APPLICATION FAILED TO START", "Description:",
				"The following unsafe handlers are not protected:", "  - PATCH /unannotated (",
				"  - POST /plain/entity (", "Action:",
				"Write @Idempotent on each, or @Idempotent(enabled = false) on those that need no protection");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"idempotency.http.header=a b | idempotency.http.header must be the name of a header, such as Idempotency-Key",
			"idempotency.http.header= | idempotency.http.header must be the name of a header, such as Idempotency-Key",
			"idempotency.http.excluded-headers=ok,a:b | idempotency.http.excluded-headers must be the name of a header",
			"idempotency.http.max-request-body=0 | idempotency.http.max-request-body must be between 1B and 64MB, but is 0B.",
			"idempotency.http.max-request-body=-1 | idempotency.http.max-request-body must be between 1B and 64MB",
			"idempotency.http.max-response-body=1GB | idempotency.http.max-response-body must be between 1B and 64MB, but is 1073741824B.",
			"idempotency.http.key-syntax=foo | lenient", "idempotency.http.fingerprint=md5 | canonical-json",
			"idempotency.http.protect=all | unsafe-methods", "idempotency.http.unprotected=hope | ignore",
			"idempotency.http.documentation-url=a b | idempotency.http.documentation-url" })
	void refusesToStartWithAWrongSettingAndSaysWhatToWrite(String property, String message, CapturedOutput output) {
		assertThatThrownBy(
				() -> new SpringApplicationBuilder(IdempotencyAutoConfiguration.class).web(WebApplicationType.NONE)
					.properties("spring.main.banner-mode=off", property)
					.run())
			.isNotNull();
		assertThat(output.toString()).contains("APPLICATION FAILED TO START", message);
	}

	@RestController
	@RequestMapping("/annotated")
	@Idempotent
	record Annotated(Executions executions) {

		@PostMapping
		@ResponseStatus(HttpStatus.CREATED)
		String post(@RequestBody(required = false) String body) {
			return "%s with %d characters".formatted(this.executions.next("annotated"),
					(body != null) ? body.length() : 0);
		}

		@PostMapping("/form")
		String form(@RequestParam String note) {
			return "%s with %d characters".formatted(this.executions.next("form"), note.length());
		}

		@PutMapping
		String put() {
			return this.executions.next("put");
		}

		@DeleteMapping
		String delete() {
			return this.executions.next("delete");
		}

		@PostMapping("/headers")
		@CrossOrigin(originPatterns = "*")
		void headers(HttpServletResponse response) {
			response.setStatus(201);
			response.setHeader("Location", "/things/7");
			response.setHeader("ETag", "\"v7\"");
			response.addHeader("X-Item", "second");
			response.addHeader("X-Item", "first");
			response.setLocale(Locale.GERMAN);
			response.setDateHeader("Expires", System.currentTimeMillis());
			response.addCookie(new Cookie("session", "secret"));
			response.addHeader("Set-Cookie", "other=secret");
			response.setHeader("traceparent", "00-1-2-01");
			response.setHeader("X-B3-TraceId", "7");
			response.setHeader("X-Secret", "secret");
			response.setHeader("X-Internal", "secret");
		}

	}

	@RestController
	@RequestMapping("/unannotated")
	record Unannotated(Executions executions) {

		@RequestMapping
		String any() {
			return this.executions.next("unannotated");
		}

		@PostMapping("/fails")
		void fail() {
			throw new IllegalStateException("fails");
		}

		@PostMapping("/opts-out")
		@Idempotent(enabled = false)
		String optsOut() {
			return this.executions.next("opts-out");
		}

		@GetMapping("/read")
		String read() {
			return this.executions.next("read");
		}

	}

	@RestController
	record Held(Turnstile turnstile) {

		@PostMapping("/held")
		@Idempotent
		void hold() {
			this.turnstile.pass();
		}

	}

	@RestController
	static class Safe {

		@GetMapping("/safe")
		@Idempotent
		String read() {
			return "read";
		}

		@RequestMapping("/any")
		@Idempotent
		String any() {
			return "any";
		}

	}

}
