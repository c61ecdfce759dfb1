package dev.idempotency.web;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client is told when its request does not run, in an application that handles
 * exceptions in general, and in one that renders problem details itself.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ErrorAnswerTests implements Container.Choice {

	static final List<String> UNUSABLE_KEYS = List.of("", "  ", "\"\"", "two words", "\"two words\"", "tab\tinside",
			"\"no end", "\"escapes \\n\"", "\"open escape\\\"", "\"one\", \"two\"", "\"one\" two", "\"one\";",
			"\"one\";Upper", "k".repeat(256), "\"" + "k".repeat(256) + "\"");

	private static final int LIMIT = 1024;

	@AutoClose("stop")
	private final Api plain = new Api("plain",
			start(List.of(WebTestApplication.class, Turnstile.class, Endpoints.class, LocalHandler.class, Advised.class,
					AdvisedInGeneral.class, CatchAll.class, ByName.class, ByNameInGeneral.class),
					"spring.mvc.problemdetails.enabled=false", "spring.webflux.problemdetails.enabled=false",
					"idempotency.max-replays=2", "idempotency.http.max-request-body=1KB"),
			"Idempotency-Key", "", "urn:idempotency:");

	@AutoClose("stop")
	private final Api customized = new Api("customized",
			start(List.of(WebTestApplication.class, Turnstile.class, Endpoints.class),
					"spring.mvc.problemdetails.enabled=true", "spring.webflux.problemdetails.enabled=true",
					"idempotency.max-replays=2", "idempotency.http.max-request-body=1KB",
					"idempotency.http.header=X-Request-Id", "idempotency.http.key-syntax=strict",
					"idempotency.http.problem-base=https://example.org/problems/",
					"idempotency.http.documentation-url=https://example.org/retries"),
			"X-Request-Id", "\"", "https://example.org/problems/");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	Stream<Api> apis() {
		return Stream.of(this.plain, this.customized);
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesARequestWithoutAKey(Api api) {
		api.assertProblem(api.server().post("/orders").json("{}").send(), 400, "key-missing");
	}

	@ParameterizedTest
	@FieldSource("UNUSABLE_KEYS")
	void refusesAKeyThatCannotBeUsed(String field) {
		Answer answer = this.plain.server().post("/orders").key(field).json("{}").send();
		JsonNode problem = this.plain.assertProblem(answer, 400, "key-invalid");
		String key = field.replace("\"", "").strip();
		if (!key.isEmpty()) {
			assertThat(problem.toString()).doesNotContain(key);
		}
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesAKeyOfOtherThanAsciiCharacters(Api api) {
		Answer answer = RawClient.post(api.server(), "/orders")
			.header(api.header(), api.quote() + "schlüssel" + api.quote())
			.header("Content-Length", "0")
			.send();
		api.assertProblem(answer, 400, "key-invalid");
		assertThat(answer.toString()).doesNotContain("schl");
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesTwoKeys(Api api) {
		String key = TestServer.newKey();
		Answer answer = api.post("/orders", key).header(api.header(), api.quote() + key + api.quote()).send();
		api.assertProblem(answer, 400, "key-invalid", key);
	}

	@Test
	void takesTheLongestKey() {
		String key = TestServer.newKey() + "~".repeat(255 - 36);
		assertThat(this.plain.post("/orders", key).send().status()).isEqualTo(201);
		assertThat(this.plain.post("/orders", key).send().isReplay()).isTrue();
	}

	@Test
	void takesAQuotedAndABareKeyForTheSame() {
		String key = TestServer.newKey();
		Answer first = this.plain.post("/orders", key).send();
		Answer quoted = this.plain.post("/orders", '"' + key + '"').send();
		Answer withParameters = this.plain.post("/orders", '"' + key + "\";a; b=1;c=\"d;e\"").send();
		quoted.assertReplayOf(first);
		assertThat(withParameters.body()).isEqualTo(first.body());
	}

	@Test
	void understandsEscapes() {
		String id = TestServer.newKey();
		Answer first = this.plain.post("/orders", "\"" + id + "\\\"\\\\\"").send();
		assertThat(this.plain.post("/orders", id + "\"\\").send().body()).isEqualTo(first.body());
	}

	@Test
	void refusesABareKeyWhereTheSyntaxIsStrict() {
		String key = TestServer.newKey();
		Answer bare = this.customized.server().post("/orders").header("X-Request-Id", key).json("{}").send();
		this.customized.assertProblem(bare, 400, "key-invalid", key);
		assertThat(this.customized.post("/orders", key).send().status()).isEqualTo(201);
	}

	@Test
	void looksForTheKeyInNoOtherHeader() {
		Answer answer = this.customized.server().post("/orders").key("\"" + TestServer.newKey() + "\"").send();
		this.customized.assertProblem(answer, 400, "key-missing");
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesAKeyThatWasUsedForAnotherRequest(Api api) {
		String key = TestServer.newKey();
		Answer first = api.post("/orders", key).json("{\"item\":1}").send();
		api.assertProblem(api.post("/orders", key).json("{\"item\":2}").send(), 422, "key-reused", key);
		Answer again = api.post("/orders", key).json("{\"item\":1}").send();
		again.assertReplayOf(first);
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesARequestWhoseTwinIsRunning(Api api) {
		String key = TestServer.newKey();
		Turnstile turnstile = api.server().bean(Turnstile.class);
		CompletableFuture<Answer> held = turnstile.hold(api.post("/slow", key).json("{\"item\":1}"));
		Answer twin = api.post("/slow", key).json("{\"item\":1}").send();
		Answer other = api.post("/slow", key).json("{\"item\":2}").send();
		Answer first = turnstile.letGo(held);
		api.assertProblem(twin, 409, "in-progress", key);
		assertThat(Integer.parseInt(twin.header("Retry-After"))).isBetween(1, 10);
		api.assertProblem(other, 422, "key-reused", key);
		assertThat(first.status()).isEqualTo(201);
		assertThat(api.post("/slow", key).json("{\"item\":1}").send().body()).isEqualTo(first.body());
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesToRepeatAnAnswerMoreOftenThanAllowed(Api api) {
		String key = TestServer.newKey();
		Answer first = api.post("/orders", key).send();
		for (int replay = 1; replay <= 2; replay++) {
			assertThat(api.post("/orders", key).send().body()).isEqualTo(first.body());
		}
		for (int loop = 1; loop <= 2; loop++) {
			Answer answer = api.post("/orders", key).send();
			api.assertProblem(answer, 429, "replay-limit", key);
			assertThat(Integer.parseInt(answer.header("Retry-After"))).isPositive();
		}
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesToRepeatAnAnswerThatWasNotKept(Api api) {
		String key = TestServer.newKey();
		assertThat(api.post("/kinds/sse", key).send().status()).isEqualTo(200);
		api.assertProblem(api.post("/kinds/sse", key).send(), 409, "not-replayable", key);
		assertThat(api.server().executions().of("sse")).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesToRunAfterACrashOfUnknownOutcome(Api api) {
		String key = TestServer.newKey();
		api.post("/careful", key + "-twin").send();
		InspectableStore store = api.server().bean(InspectableStore.class);
		IdempotencyScope scope = IdempotencyScope.of("POST /careful").within("test");
		Fingerprint fingerprint = store.find(new IdempotencyKey(scope, key + "-twin")).orElseThrow().fingerprint();
		// Someone who will not be heard of again
		store.claim(new IdempotencyKey(scope, key), fingerprint,
				new ClaimTerms(Duration.ofMillis(1), Duration.ofHours(1), OnCrash.REFUSE, OnReplay.READ));
		Answer answer = Awaitility.await()
			.until(() -> api.post("/careful", key).send(), (it) -> !it.text().contains("in-progress"));
		api.assertProblem(answer, 409, "outcome-unknown", key);
		assertThat(api.server().executions().of("careful")).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesABodyThatIsTooLarge(Api api) {
		String key = TestServer.newKey();
		Answer answer = api.post("/orders", key).json("\"" + "x".repeat(LIMIT - 1) + "\"").send();
		JsonNode problem = api.assertProblem(answer, 413, "body-too-large", key);
		assertThat(problem.path("detail").asString()).contains("1024 bytes");
		Answer small = api.post("/orders", key).json("\"" + "x".repeat(LIMIT - 2) + "\"").send();
		assertThat(small.status()).isEqualTo(201);
		assertThat(small.isReplay()).isFalse();
	}

	@ParameterizedTest
	@MethodSource("apis")
	void refusesABodyThatTurnsOutTooLarge(Api api) {
		String key = TestServer.newKey();
		Answer answer = RawClient.post(api.server(), "/orders")
			.header(api.header(), api.quote() + key + api.quote())
			.chunked("application/json", "\"" + "x".repeat(LIMIT - 1) + "\"")
			.send();
		api.assertProblem(answer, 413, "body-too-large", key);
		Answer small = RawClient.post(api.server(), "/orders")
			.header(api.header(), api.quote() + key + api.quote())
			.chunked("application/json", "\"" + "x".repeat(LIMIT - 2) + "\"")
			.send();
		assertThat(small.status()).isEqualTo(201);
	}

	@ParameterizedTest
	@MethodSource("apis")
	void answersWithAProblemWhateverTheClientAccepts(Api api) {
		Answer answer = api.server().post("/orders").header("Accept", "text/html, application/xml").send();
		api.assertProblem(answer, 400, "key-missing");
	}

	@Test
	void leavesOtherExceptionsToAHandlerOfExceptionsInGeneral() {
		Answer answer = this.plain.post("/broken", TestServer.newKey()).send();
		assertThat(answer.status()).isEqualTo(500);
		assertThat(answer.text()).isEqualTo("caught");
		assertThat(answer.effect()).isEqualTo("executed");
	}

	@Test
	void leavesAnExceptionToAnAdviceThatNamesIt() {
		String key = TestServer.newKey();
		Turnstile turnstile = this.plain.server().bean(Turnstile.class);
		CompletableFuture<Answer> held = turnstile.hold(this.plain.post("/advised", key));
		Answer twin = this.plain.post("/advised", key).send();
		turnstile.letGo(held);
		assertThat(twin.status()).isEqualTo(423);
		assertThat(twin.text()).startsWith("advised, come back in ");
		assertThat(twin.header("Content-Type")).startsWith("text/plain");
		assertThat(twin.effect()).isEqualTo("none");
		this.plain.assertProblem(this.plain.server().post("/advised").send(), 400, "key-missing");
	}

	@Test
	void leavesAllItsExceptionsToAnAdviceThatNamesTheirParent() {
		Answer answer = this.plain.server().post("/advised-in-general").send();
		assertThat(answer.status()).isEqualTo(418);
		assertThat(answer.text()).isEqualTo("advised in general: IdempotencyKeyMissingException");
		assertThat(answer.effect()).isEqualTo("none");
	}

	@Test
	void leavesAnExceptionToAControllerThatNamesIt() {
		Answer missing = this.plain.server().post("/local").send();
		assertThat(missing.status()).as("%s", missing).isEqualTo(428);
		assertThat(missing.text()).isEqualTo("bring a key");
		this.plain.assertProblem(this.plain.server().post("/local").key("\"").send(), 400, "key-invalid");
	}

	/**
	 * One application as its clients see it.
	 */
	record Api(String name, TestServer server, String header, String quote, String problemBase) {

		void stop() {
			this.server.close();
		}

		TestServer.Call post(String path, String key) {
			return this.server.post(path).header(this.header, this.quote + key + this.quote);
		}

		JsonNode assertProblem(Answer answer, int status, String type, String key) {
			assertThat(answer.headers().toString()).doesNotContain(key);
			assertThat(answer.text()).doesNotContain(key);
			return assertProblem(answer, status, type);
		}

		JsonNode assertProblem(Answer answer, int status, String type) {
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(answer.effect()).isEqualTo("none");
			assertThat(answer.isReplay()).isFalse();
			boolean documented = this.problemBase.startsWith("https:");
			assertThat(answer.header("Link"))
				.isEqualTo(documented ? "<https://example.org/retries>; rel=\"describedby\"" : "");
			boolean later = type.equals("in-progress") || type.equals("replay-limit");
			assertThat(answer.headers().containsKey("Retry-After")).isEqualTo(later);
			JsonNode problem = JsonMapper.shared().readTree(answer.body());
			assertThat(problem.propertyNames()).containsExactly("type", "title", "status", "detail");
			assertThat(problem.path("type").asString()).isEqualTo(this.problemBase + type);
			assertThat(problem.path("status").asInt()).isEqualTo(status);
			assertThat(problem.path("title").asString()).isNotBlank();
			assertThat(problem.path("detail").asString()).isNotBlank();
			return problem;
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	@RestController
	@Idempotent
	record Endpoints(Executions executions, Turnstile turnstile) {

		@PostMapping("/orders")
		ResponseEntity<String> order(@RequestBody(required = false) String order) {
			return ResponseEntity.created(URI.create("/orders/1")).body(this.executions.next("orders"));
		}

		@PostMapping("/slow")
		ResponseEntity<String> slow(@RequestBody(required = false) String order) {
			this.turnstile.pass();
			return order(order);
		}

		@PostMapping("/careful")
		@Idempotent(onCrash = OnCrash.REFUSE)
		String careful() {
			return this.executions.next("careful");
		}

		@PostMapping("/broken")
		String fail() {
			throw new IllegalStateException("broken");
		}

	}

	@RestController
	@Idempotent
	static class LocalHandler {

		@PostMapping("/local")
		void local() {
		}

		@ExceptionHandler
		ResponseEntity<String> handle(IdempotencyKeyMissingException ex) {
			return ResponseEntity.status(428).body("bring a key");
		}

	}

	@RestController
	@Idempotent
	record Advised(Turnstile turnstile) {

		@PostMapping("/advised")
		void advised() {
			this.turnstile.pass();
		}

	}

	@RestController
	@Idempotent
	static class AdvisedInGeneral {

		@PostMapping("/advised-in-general")
		void advised() {
		}

	}

	/**
	 * What nearly every application has.
	 */
	@RestControllerAdvice
	static class CatchAll {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handle() {
			return ResponseEntity.internalServerError().body("caught");
		}

	}

	@RestControllerAdvice(assignableTypes = Advised.class)
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class ByName {

		@ExceptionHandler
		ResponseEntity<String> handle(OperationInProgressException ex) {
			return ResponseEntity.status(423).body("advised, come back in " + ex.retryAfter().toSeconds());
		}

	}

	@RestControllerAdvice(assignableTypes = AdvisedInGeneral.class)
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class ByNameInGeneral {

		@ExceptionHandler(IdempotencyException.class)
		ResponseEntity<String> handle(Exception ex) {
			return ResponseEntity.status(418).body("advised in general: " + ex.getClass().getSimpleName());
		}

	}

}
