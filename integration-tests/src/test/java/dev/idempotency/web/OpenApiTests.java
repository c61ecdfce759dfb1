package dev.idempotency.web;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.http.ReplayAuthorizer;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What springdoc tells clients about protected handlers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiTests {

	@AutoClose
	private final TestServer server = start(List.of(Shop.class, Orders.class, Derived.class, Advice.class),
			Bystanders.ALL, "idempotency.http.documentation-url=https://example.org/keys");

	private final DocumentContext document = document(this.server);

	DocumentContext document() {
		return this.document;
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	private TestServer start(String... properties) {
		return start(List.of(Shop.class, Orders.class, Advice.class), TestServer.with(properties, Bystanders.ALL));
	}

	private static DocumentContext document(TestServer server) {
		Answer answer = server.call("GET", "/v3/api-docs").send();
		assertThat(answer.status()).isEqualTo(200);
		return JsonPath.parse(answer.text());
	}

	static Map<String, Object> parameter(DocumentContext document, String operation, String header) {
		List<Map<String, Object>> found = document.read(operation + ".parameters[?(@.name == '" + header + "')]");
		assertThat(found).hasSize(1);
		return found.get(0);
	}

	static Set<String> statuses(DocumentContext document, String operation) {
		return document.<Map<String, Object>>read(operation + ".responses").keySet();
	}

	@Test
	void asksForTheKey() {
		assertAsksForTheKey(this.document, "3.1");
		try (TestServer older = start("springdoc.api-docs.version=openapi_3_0")) {
			assertAsksForTheKey(document(older), "3.0");
		}
	}

	private static void assertAsksForTheKey(DocumentContext document, String version) {
		assertThat(document.<String>read("$.openapi")).startsWith(version);
		assertThat(parameter(document, "$.paths['/orders'].post", "Idempotency-Key")).containsEntry("in", "header")
			.containsEntry("required", true)
			.containsEntry("schema",
					Map.of("type", "string", "minLength", 1, "maxLength", 255, "pattern", "^[!-~]+$", "example",
							"8e03978e-40d5-43e8-bc93-6894a57f9324"))
			.extractingByKey("description")
			.asString()
			.contains("with its retries", "bare or in double quotes", "is remembered for 24 hours.")
			.doesNotContain("unprotected");
		assertThat(document.<String>read("$.components.schemas.IdempotencyProblem.type")).isEqualTo("object");
		assertThat(document.<String>read("$.components.schemas.IdempotencyProblem.properties.type.type"))
			.isEqualTo("string");
	}

	@Test
	void saysWhichAnswersThereAre() {
		String responses = "$.paths['/orders'].post.responses";
		assertThat(statuses(this.document, "$.paths['/orders'].post")).containsExactlyInAnyOrder("201", "400", "409",
				"413", "410", "422", "503");
		for (String status : List.of("400", "409", "413", "422", "503")) {
			assertThat(this.document
				.<String>read(responses + "." + status + ".content['application/problem+json'].schema.$ref"))
				.isEqualTo("#/components/schemas/IdempotencyProblem");
		}
		assertThat(this.document.<String>read(responses + ".400.description")).contains("urn:idempotency:key-missing",
				"urn:idempotency:key-invalid", "urn:idempotency:body-unreadable");
		assertThat(this.document.<String>read(responses + ".409.description"))
			.contains("urn:idempotency:in-progress", "urn:idempotency:not-replayable")
			.doesNotContain("outcome-unknown");
		assertThat(this.document.<List<String>>read("$.components.schemas.IdempotencyProblem.properties.type.enum"))
			.contains("urn:idempotency:key-missing", "urn:idempotency:store-unavailable");
	}

	@Test
	void saysWhichHeadersAnswersHave() {
		String responses = "$.paths['/orders'].post.responses";
		assertThat(headers(responses + ".201")).containsOnlyKeys("Idempotent-Replayed", "Idempotency-Effect");
		assertThat(headers(responses + ".422")).containsOnlyKeys("Idempotency-Effect");
		for (String status : List.of("409", "503")) {
			assertThat(headers(responses + "." + status)).containsOnlyKeys("Idempotency-Effect", "Retry-After");
		}
		assertThat(this.document.<Map<String, Object>>read("$.components.headers"))
			.containsOnlyKeys("Idempotent-Replayed", "Idempotency-Effect", "Retry-After");
		this.document.<List<String>>read("$..headers[*].$ref")
			.forEach((reference) -> assertThat(this.document.<Map<String, Object>>read(
					"$.components.headers['%s']".formatted(reference.substring(reference.lastIndexOf('/') + 1))))
				.containsKeys("schema", "description"));
	}

	private Map<String, Object> headers(String answer) {
		return this.document.read(answer + ".headers");
	}

	@Test
	void saysWhatReallyHappens() {
		assertThat(this.server.post("/orders").json("{}").send().status()).isEqualTo(400);
		String key = TestServer.newKey();
		Answer first = this.server.post("/orders").key(key).json("{}").send();
		Answer retry = this.server.post("/orders").key(key).json("{}").send();
		Answer other = this.server.post("/orders").key(key).json("{\"a\":1}").send();
		assertThat(first.headers()).containsKeys("Idempotency-Effect");
		assertThat(retry.headers()).containsKeys("Idempotency-Effect", "Idempotent-Replayed");
		assertThat(other.headers()).containsKeys("Idempotency-Effect");
		Map<String, Object> problem = JsonPath.parse(other.text()).read("$");
		assertThat(problem).containsOnlyKeys("type", "title", "status", "detail");
		assertThat(this.document.<Map<String, Object>>read("$.components.schemas.IdempotencyProblem.properties"))
			.containsOnlyKeys("type", "title", "status", "detail");
		assertThat(this.document.<List<String>>read("$.components.schemas.IdempotencyProblem.properties.type.enum"))
			.contains((String) problem.get("type"));
	}

	@Test
	void summarisesThePolicyForMachines() {
		assertThat(this.document.<Map<String, Object>>read("$.paths['/orders'].post['x-idempotency']"))
			.isEqualTo(Map.of("key", "header Idempotency-Key", "required", true, "ttl", "PT24H", "onConflict", "reject",
					"onCrash", "retry", "fingerprint", true));
		assertThat(this.document.<Map<String, Object>>read("$.paths['/webhook'].post['x-idempotency']"))
			.isEqualTo(Map.of("key", "header('webhook-id')", "required", false, "ttl", "PT168H", "onConflict", "wait",
					"onCrash", "refuse", "fingerprint", false));
		assertThat(this.document.<String>read("$.paths['/orders'].post.externalDocs.url"))
			.isEqualTo("https://example.org/keys");
	}

	@Test
	void documentsOnlyWhatCanHappen() {
		String webhook = "$.paths['/webhook'].post";
		assertThat(parameter(this.document, webhook, "webhook-id")).containsEntry("required", false)
			.containsEntry("schema", Map.of("type", "string", "minLength", 1))
			.extractingByKey("description")
			.asString()
			.contains("remembered for 7 days", "Without it, the request runs unprotected");
		assertThat(this.document.<List<String>>read(webhook + ".parameters[*].name"))
			.containsExactlyInAnyOrder("webhook-id", "Idempotency-Dry-Run");
		assertThat(statuses(this.document, webhook)).contains("400", "409", "413", "503").doesNotContain("422", "429");
		assertThat(this.document.<String>read(webhook + ".responses.400.description")).contains("key-invalid")
			.doesNotContain("key-missing");
		assertThat(this.document.<String>read(webhook + ".responses.409.description")).contains("outcome-unknown");
		String byPath = "$.paths['/orders/{id}'].put";
		assertThat(this.document.<List<String>>read(byPath + ".parameters[*].name")).containsExactlyInAnyOrder("id",
				"Idempotency-Dry-Run");
		assertThat(this.document.<String>read(byPath + ".responses.400.description")).doesNotContain("key-missing");
		String derived = "$.paths['/derived'].post";
		assertThat(statuses(this.document, derived)).contains("413").doesNotContain("422");
	}

	@ParameterizedTest
	@CsvSource({ "get, false", "post, true", "delete, true" })
	void tellsTheMethodsOfOneHandlerApart(String method, boolean documented) {
		Map<String, Object> operation = this.document.read("$.paths['/several']." + method);
		assertThat(operation.containsKey("x-idempotency")).isEqualTo(documented);
		assertThat(operation.containsKey("parameters")).isEqualTo(documented);
	}

	@Test
	void leavesOtherHandlersAlone() {
		for (String path : List.of("/plain", "/excluded")) {
			assertThat(this.document.<Map<String, Object>>read("$.paths['%s'].post".formatted(path)))
				.doesNotContainKeys("x-idempotency", "parameters", "externalDocs");
			assertThat(statuses(this.document, "$.paths['%s'].post".formatted(path))).containsExactlyInAnyOrder("200",
					"410");
		}
	}

	@Test
	void saysNothingOfTheContextThatHandlersGet() {
		assertSaysNothingOfTheContext(this.document);
		try (TestServer switchedOff = start("idempotency.enabled=false")) {
			assertSaysNothingOfTheContext(document(switchedOff));
		}
	}

	private static void assertSaysNothingOfTheContext(DocumentContext document) {
		for (String path : List.of("/contextual", "/optional")) {
			assertThat(document.<List<String>>read("$.paths['%s'].post.parameters[*].name".formatted(path)))
				.contains("colour")
				.doesNotContain("context");
		}
		assertThat(document.jsonString()).doesNotContain("IdempotencyContext");
	}

	@Test
	void keepsWhatTheApplicationDocumentsItself() {
		String responses = "$.paths['/documented'].post.responses";
		assertThat(this.document.<String>read(responses + ".409.description")).startsWith("Sold out\n\n")
			.contains("urn:idempotency:in-progress");
		assertThat(this.document.<Map<String, Object>>read(responses + ".409.content")).containsOnlyKeys("text/plain",
				"application/problem+json");
		assertThat(this.document
			.<List<String>>read(responses + ".422.content['application/problem+json'].schema.anyOf[*].$ref"))
			.containsExactly("#/components/schemas/ProblemDetail", "#/components/schemas/IdempotencyProblem");
		Map<String, Object> key = parameter(this.document, "$.paths['/documented'].post", "idempotency-key");
		assertThat(key).containsEntry("required", true);
		assertThat(this.document.<String>read("$.paths['/documented'].post.responses.410.description"))
			.isEqualTo(this.document.<String>read("$.paths['/plain'].post.responses.410.description"));
	}

	@Test
	void followsTheSettings() {
		try (TestServer strict = start("idempotency.http.header=X-Request-Id", "idempotency.http.key-syntax=strict",
				"idempotency.max-replays=3", "idempotency.http.problem-base=https://example.org/problems/",
				"idempotency.http.protect=unsafe-methods", "idempotency.http.fingerprint=none",
				"idempotency.on-store-failure=proceed", "idempotency.ttl=90m")) {
			DocumentContext settings = document(strict);
			assertThat(parameter(settings, "$.paths['/plain'].post", "X-Request-Id")).extractingByKey("schema")
				.asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
				.containsEntry("minLength", 3)
				.containsEntry("maxLength", 512)
				.extractingByKey("pattern")
				.asString()
				.satisfies((pattern) -> {
					assertThat("\"key\"").matches(pattern);
					assertThat("\"a\\\"b\\\\c\"").matches(pattern);
					assertThat("key").doesNotMatch(pattern);
					assertThat("\"a\"b\"").doesNotMatch(pattern);
				});
			assertThat(statuses(settings, "$.paths['/plain'].post")).containsExactlyInAnyOrder("200", "400", "409",
					"410", "413", "429");
			assertThat(settings.<String>read("$.paths['/plain'].post.responses.429.description"))
				.contains("https://example.org/problems/replay-limit");
			assertThat(settings.<Map<String, Object>>read("$.paths['/plain'].post.responses.429.headers"))
				.containsKey("Retry-After");
			assertThat(settings.<Map<String, Object>>read("$.paths['/plain'].post")).doesNotContainKey("externalDocs");
			assertThat((String) parameter(settings, "$.paths['/plain'].post", "X-Request-Id").get("description"))
				.contains("90 minutes", "characters of visible ASCII, in double quotes");
			assertThat(settings.<Map<String, Object>>read("$.paths['/excluded'].post"))
				.doesNotContainKey("x-idempotency");
		}
	}

	@Test
	void mentionsDeniedReplaysWhereThereIsARule() {
		assertThat(statuses(this.document, "$.paths['/orders'].post")).doesNotContain("403");
		try (TestServer ruled = start(List.of(Shop.class, Orders.class, Rule.class), Bystanders.ALL)) {
			assertThat(document(ruled).<String>read("$.paths['/orders'].post.responses.403.description"))
				.contains("urn:idempotency:replay-denied");
		}
	}

	@Test
	void saysHowOldAKeyMayBe() {
		try (TestServer aged = start("idempotency.http.key-age=header", "idempotency.http.expires=true")) {
			DocumentContext settings = document(aged);
			assertThat(parameter(settings, "$.paths['/orders'].post", "Repeatability-First-Sent"))
				.containsEntry("required", true);
			assertThat(settings.<String>read("$.paths['/orders'].post.responses.412.description"))
				.contains("urn:idempotency:key-expired");
			assertThat(settings.<Map<String, Object>>read("$.paths['/orders'].post.responses.201.headers"))
				.containsKey("Idempotency-Expires");
			assertThat(statuses(settings, "$.paths['/webhook'].post")).as("its key is an expression")
				.doesNotContain("412");
		}
		try (TestServer aged = start("idempotency.http.key-age=key")) {
			assertThat(parameter(document(aged), "$.paths['/orders'].post", "Idempotency-Key").toString())
				.contains("UUID of version 7", "017f22e2-79b0-7cc3", "the key is refused")
				.doesNotContain("random UUID");
		}
	}

	@Test
	void followsTheSettingsOfSingleOperations() {
		try (TestServer named = start("idempotency.operations.[POST /orders].ttl=90m",
				"idempotency.operations.[POST /orders].max-replays=3",
				"idempotency.operations.[PUT /items/{id}].ttl=2h")) {
			DocumentContext settings = document(named);
			assertThat(settings.<String>read("$.paths['/orders'].post['x-idempotency'].ttl")).isEqualTo("PT1H30M");
			assertThat(settings.<String>read("$.paths['/items/{id}'].put['x-idempotency'].ttl")).isEqualTo("PT2H");
			assertThat(statuses(settings, "$.paths['/orders'].post")).contains("429");
			assertThat(settings.<String>read("$.paths['/webhook'].post['x-idempotency'].ttl")).isEqualTo("PT168H");
		}
	}

	@Test
	void promisesNothingWhereItOnlyObserves() {
		try (TestServer observing = start("idempotency.mode=observe")) {
			DocumentContext observed = document(observing);
			assertThat(parameter(observed, "$.paths['/orders'].post", "Idempotency-Key")).containsEntry("required",
					false);
			assertThat(statuses(observed, "$.paths['/orders'].post")).containsExactlyInAnyOrder("201", "410");
			assertThat(observed.<Map<String, Object>>read("$.paths['/orders'].post.responses.201.headers"))
				.containsOnlyKeys("Idempotency-Effect");
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	static class Rule {

		@Bean
		ReplayAuthorizer replayAuthorizer() {
			return (request, key, status) -> false;
		}

	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		@ResponseStatus(HttpStatus.CREATED)
		@Idempotent
		Map<String, Object> order(@RequestBody Map<String, Object> order) {
			return order;
		}

		@RequestMapping(path = "/orders/{id:[0-9]+}", method = RequestMethod.PUT)
		@Idempotent(key = "path('id')")
		void replace(@PathVariable String id) {
		}

		@RequestMapping(path = "/items/{id}", method = RequestMethod.PUT)
		@Idempotent
		void item(@PathVariable String id) {
		}

		@PostMapping("/webhook")
		@Idempotent(key = "header('webhook-id')", required = false, ttl = "7d", onCrash = OnCrash.REFUSE,
				onConflict = OnConflict.WAIT, fingerprint = false)
		void webhook() {
		}

		@RequestMapping(path = "/several", method = { RequestMethod.GET, RequestMethod.POST, RequestMethod.DELETE })
		@Idempotent
		void several() {
		}

		@PostMapping("/documented")
		@ApiResponse(responseCode = "409", description = "Sold out", content = @Content(mediaType = "text/plain"))
		@ApiResponse(responseCode = "422", description = "Nonsense",
				content = @Content(mediaType = "application/problem+json",
						schema = @Schema(implementation = ProblemDetail.class)))
		@Idempotent
		void documented(@RequestHeader(name = "idempotency-key", required = false) String key) {
		}

		@PostMapping("/contextual")
		@Idempotent
		void contextual(IdempotencyContext context, @RequestParam String colour) {
		}

		@PostMapping("/optional")
		@Idempotent
		void optional(@RequestParam String colour, Optional<IdempotencyContext> context) {
		}

		@PostMapping("/plain")
		void plain() {
		}

		@PostMapping("/excluded")
		@Idempotent(enabled = false)
		void excluded() {
		}

	}

	@RestController
	static class Derived {

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		void derived() {
		}

	}

	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler
		@ResponseStatus(HttpStatus.GONE)
		String gone(IllegalStateException ex) {
			return "gone";
		}

	}

}
