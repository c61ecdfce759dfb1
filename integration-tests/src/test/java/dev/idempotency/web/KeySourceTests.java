package dev.idempotency.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the key comes from, whose it is, and what else an application can decide.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeySourceTests {

	@AutoClose
	final TestServer server = start(List.of(WebTestApplication.class, Endpoints.class, Forms.class, Sessions.class,
			Annotations.class, Declared.class, TypeLevel.class));

	@AutoClose
	private final TestServer custom = start(List.of(WebTestApplication.class, Strategies.class, Customized.class));

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Test
	void takesTheKeyFromAnotherHeader() {
		String id = TestServer.newKey();
		Answer first = this.server.post("/webhook").header("webhook-id", id).json("{}").send();
		Answer again = this.server.post("/webhook").header("Webhook-Id", " " + id).json("{}").send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		again.assertReplayOf(first);
		Answer other = this.server.post("/webhook").header("webhook-id", id + "2").json("{}").send();
		assertThat(other.isReplay()).isFalse();
	}

	@Test
	void refusesARequestWithoutThatHeader() {
		this.server.post("/webhook").key(TestServer.newKey()).send().assertProblem(400, "key-missing");
		this.server.post("/webhook").header("webhook-id", " ").send().assertProblem(400, "key-missing");
		this.server.post("/webhook")
			.header("webhook-id", "a")
			.header("webhook-id", "b")
			.send()
			.assertProblem(400, "key-invalid");
		this.server.post("/webhook").header("webhook-id", "a".repeat(1025)).send().assertProblem(400, "key-invalid");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"evt_1\"", "17", "1.50", "1e2", "true", "\"grüße ☃\"" })
	void takesTheKeyFromTheBody(String value) {
		int before = this.server.executions().of("events");
		Answer first = event("{\"event\":{\"id\":%s,\"kind\":\"paid\"}}".formatted(value));
		Answer again = event("{ \"event\": { \"kind\": \"paid\", \"id\": %s } }".formatted(value));
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		again.assertReplayOf(first);
		assertThat(this.server.executions().of("events")).isEqualTo(before + 1);
		assertThat(event("{\"event\":{\"id\":%s,\"kind\":\"void\"}}".formatted(value)).status()).isEqualTo(422);
		assertThat(first.text()).endsWith("key " + value.replace("\"", ""));
	}

	@Test
	void takesNumbersAsTheyAreWritten() {
		Answer first = event("{\"event\":{\"id\":7.0}}");
		Answer second = event("{\"event\":{\"id\":7.00}}");
		assertThat(first.isReplay()).isFalse();
		assertThat(second.isReplay()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{\"event\":{}}", "{\"event\":{\"id\":null}}", "{\"event\":{\"id\":\"\"}}",
			"{\"event\":{\"id\":\" \"}}", "{\"event\":\"id\"}", "[]", "17", "" })
	void refusesABodyWithoutTheKey(String json) {
		event(json).assertProblem(400, "key-missing");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"event\":{\"id\":{}}}", "{\"event\":{\"id\":[1]}}", "{\"event\":{\"id\":\"a",
			"{\"event\":{\"id\":\"a\"}", "{\"event\":{\"id\":\"a\"}} {", "{\"event\":{\"id\":\"a\",\"id\":\"b\"}}",
			"{\"event\":{\"id\":\"a\"},\"event\":{\"id\":\"b\"}}", "{\"event\":{\"id\":\"a\\u0000b\"}}", "nonsense",
			"{'event':{'id':1}}" })
	void refusesABodyFromWhichNoKeyCanBeTaken(String json) {
		event(json).assertProblem(400, "key-invalid");
	}

	private Answer event(String json) {
		return this.server.post("/events").json(json).send();
	}

	@Test
	void joinsTheKeyFromPathAndQuery() {
		Answer first = this.server.call("PUT", "/documents/7?version=1").send();
		assertThat(first.text()).endsWith("key 7:1");
		assertThat(this.server.call("PUT", "/documents/7?version=1").send().isReplay()).isTrue();
		assertThat(this.server.call("PUT", "/documents/7?version=2").send().isReplay()).isFalse();
		assertThat(this.server.call("PUT", "/documents/8?version=1").send().isReplay()).isFalse();
	}

	@Test
	void joinsPartsSoThatNoOthersGiveTheSameKey() {
		Answer first = this.server.call("PUT", "/versions/a:b?version=c").send();
		Answer other = this.server.call("PUT", "/versions/a?version=b:c").send();
		assertThat(first.text()).endsWith("key a%3Ab:c");
		assertThat(other.status()).as("%s", other).isEqualTo(200);
		assertThat(other.text()).endsWith("key a:b%3Ac");
		assertThat(this.server.call("PUT", "/versions/a?version=b:c").send().isReplay()).isTrue();
	}

	@Test
	void joinsNoPartThatIsMissing() {
		this.server.call("PUT", "/versions/7").send().assertProblem(400, "key-missing");
		this.server.call("PUT", "/versions/7?version=").send().assertProblem(400, "key-missing");
		this.server.call("PUT", "/versions/7?version=1&version=2").send().assertProblem(400, "key-invalid");
		this.server.call("PUT", "/versions/7?version=" + ":".repeat(400)).send().assertProblem(400, "key-invalid");
		this.server.post("/joined-body").json("{\"a\":\"1\",\"b\":\" \"}").send().assertProblem(400, "key-missing");
	}

	@Test
	void joinsPartsOfJoinedParts() {
		Answer answer = this.server.post("/joined-body").json("{\"a\":\"1:2\",\"b\":3}").send();
		assertThat(answer.text()).endsWith("key of 1%253A2%3A3:POST");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfKeysWhosePartsCanBeCutOtherwise(CapturedOutput output) {
		try (TestServer started = start(List.of(WebTestApplication.class, Endpoints.class))) {
			assertThat(started.port()).isPositive();
		}
		assertThat(output).contains("The key \"path('id') + ':' + query('version')\" of " + Endpoints.class.getName())
			.contains("Write join(path('id'), query('version')) instead")
			.doesNotContain("The key \"join(", "The key \"'of ' + join(", "The key \"derived()");
	}

	@ParameterizedTest
	@CsvSource({ "/documents/9, key-missing", "/documents/9?version=, key-missing",
			"/documents/9?version=1&version=2, key-invalid" })
	void refusesAQueryFromWhichNoKeyCanBeTaken(String path, String problem) {
		this.server.call("PUT", path).send().assertProblem(400, problem);
	}

	@Test
	void runsUnprotectedWithoutAKeyThatIsNotRequired() {
		int before = this.server.executions().of("optional");
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post("/optional/1").send();
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.isReplay()).isFalse();
		}
		assertThat(this.server.executions().of("optional")).isEqualTo(before + 2);
		assertThat(this.server.post("/optional/1?version=1").send().isReplay()).isFalse();
		assertThat(this.server.post("/optional/1?version=1").send().isReplay()).isTrue();
		this.server.post("/optional/1?version=1&version=1").send().assertProblem(400, "key-invalid");
	}

	@Test
	void takesAFormFieldForAParameter() {
		String version = TestServer.newKey();
		Answer first = form("version=" + version + "&note=a");
		assertThat(first.text()).contains("a: ");
		assertThat(form("version=" + version + "&note=a").body()).isEqualTo(first.body());
		assertThat(form("version=" + version + "&note=b").status()).isEqualTo(422);
	}

	private Answer form(String form) {
		return this.server.post("/form-key").body("application/x-www-form-urlencoded", form).send();
	}

	@Test
	void derivesTheKeyFromTheSessionAndTheRequest() {
		String one = session();
		String two = session();
		Answer first = derived(one, "{\"amount\":1,\"to\":\"a\"}");
		Answer again = derived(one, "{\"to\":\"a\",\"amount\":1}");
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		again.assertReplayOf(first);
		assertThat(derived(one, "{\"amount\":2,\"to\":\"a\"}").isReplay()).isFalse();
		assertThat(derived(two, "{\"amount\":1,\"to\":\"a\"}").isReplay()).isFalse();
	}

	/**
	 * Whoever knows the id of a session is in it.
	 */
	@Test
	void showsTheIdOfASessionToNobody() {
		String session = session();
		String id = session.substring(session.indexOf('=') + 1);
		Answer dryRun = this.server.post("/derived").header("Cookie", session).dryRun().json("{\"secret\":1}").send();
		assertThat(dryRun.text()).contains("would_execute", "\"key\":\"").doesNotContainIgnoringCase(id);
		Answer first = derived(session, "{\"secret\":1}");
		assertThat(first.text()).contains("key ").doesNotContainIgnoringCase(id);
		List<RecordSummary> stored = this.server.bean(SearchableStore.class)
			.search(RecordFilter.all("test").withOperation("POST /derived"), 0, 100)
			.records();
		assertThat(stored).isNotEmpty().extracting((record) -> record.key().key()).noneMatch((key) -> key.contains(id));
	}

	@Test
	void derivesNoKeyWithoutACaller() {
		Answer answer = this.server.post("/derived").json("{}").send();
		answer.assertProblem(400, "key-missing");
		assertThat(answer.headers()).doesNotContainKey("Set-Cookie");
	}

	private String session() {
		String cookie = this.server.post("/session").send().header("Set-Cookie");
		return cookie.substring(0, cookie.indexOf(';'));
	}

	private Answer derived(String session, String json) {
		return this.server.post("/derived").header("Cookie", session).json(json).send();
	}

	@Test
	void remembersAsLongAsTheAnnotationSays() {
		String key = TestServer.newKey();
		this.server.post("/ttl").key(key).send();
		assertThat(rememberedFor("POST /ttl", key)).isEqualTo(Duration.ofHours(1));
	}

	@Test
	void takesAnAnnotationThatIsMadeOfIt() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/post-once").key(key).send();
		assertThat(first.effect()).isEqualTo("created");
		assertThat(this.server.post("/post-once").key(key).send().body()).isEqualTo(first.body());
		assertThat(rememberedFor("POST /post-once", key)).isEqualTo(Duration.ofMinutes(2));
		this.server.post("/post-once").send().assertProblem(400, "key-missing");
	}

	private Duration rememberedFor(String operation, String key) {
		Inspection found = this.server.bean(InspectableStore.class)
			.find(IdempotencyKey.of(operation, key).within("test"))
			.orElseThrow();
		assertThat(found.status().completed()).isNotNull();
		return Duration.between(found.status().created(), found.status().expires());
	}

	@Test
	void takesTheAnnotationOfAType() {
		this.server.post("/type/inherits").send().assertProblem(400, "key-missing");
		Answer first = this.server.post("/type/inherits").header("X-Type", "1").send();
		assertThat(this.server.post("/type/inherits").header("X-Type", "1").send().body()).isEqualTo(first.body());
	}

	@Test
	void takesTheAnnotationOfAMethodBeforeThatOfItsType() {
		this.server.post("/type/overrides").header("X-Type", "1").send().assertProblem(400, "key-missing");
		String key = TestServer.newKey();
		Answer first = this.server.post("/type/overrides").key(key).send();
		assertThat(this.server.post("/type/overrides").key(key).send().body()).isEqualTo(first.body());
	}

	@Test
	void leavesAMethodAloneThatOptsOut() {
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post("/type/opts-out").header("X-Type", "1").key("k").send();
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.headers()).doesNotContainKeys("Idempotency-Effect", "Idempotent-Replayed");
		}
		assertThat(this.server.executions().of("opts-out")).isEqualTo(2);
	}

	@Test
	void takesTheAnnotationOfAnInterface() {
		String key = TestServer.newKey();
		this.server.post("/declared").send().assertProblem(400, "key-missing");
		Answer first = this.server.post("/declared").key(key).send();
		assertThat(this.server.post("/declared").key(key).send().body()).isEqualTo(first.body());
	}

	@Test
	void asksTheApplicationsOwnKeyResolver() {
		String key = TestServer.newKey();
		Answer first = this.custom.post("/custom?request=" + key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		assertThat(this.custom.post("/custom?request=" + key).send().body()).isEqualTo(first.body());
		this.custom.post("/custom").key(key).send().assertProblem(400, "key-missing");
	}

	@Test
	void refusesABlankKeyOfTheApplicationsOwnKeyResolver() {
		this.custom.post("/custom?request=%20").send().assertProblem(400, "key-invalid");
	}

	@Test
	void keepsTheTenantsApartThatTheApplicationKnows() {
		String path = "/custom?request=" + TestServer.newKey();
		Answer one = this.custom.post(path).header("X-Tenant", "one").send();
		Answer two = this.custom.post(path).header("X-Tenant", "two").send();
		Answer none = this.custom.post(path).send();
		for (Answer first : List.of(one, two, none)) {
			assertThat(first.isReplay()).isFalse();
		}
		assertThat(this.custom.post(path).header("X-Tenant", "one").send().body()).isEqualTo(one.body());
		assertThat(this.custom.post(path).header("X-Tenant", "two").send().body()).isEqualTo(two.body());
		assertThat(this.custom.post(path).send().body()).isEqualTo(none.body());
	}

	@Test
	void comparesNothingWhereTheApplicationSaysSo() {
		String path = "/custom?request=" + TestServer.newKey();
		Answer first = this.custom.post(path).json("{\"a\":1}").send();
		Answer other = this.custom.post(path + "&other=1").json("{\"a\":2}").send();
		other.assertReplayOf(first);
	}

	@Test
	void storesWhatTheApplicationsOwnPolicySays() {
		String path = "/teapot?request=" + TestServer.newKey();
		assertThat(this.custom.post(path).send().status()).isEqualTo(418);
		assertThat(this.custom.post(path).send().isReplay()).isFalse();
		assertThat(this.custom.executions().of("teapot")).isEqualTo(2);
		String unavailable = "/unavailable?request=" + TestServer.newKey();
		assertThat(this.custom.post(unavailable).send().status()).isEqualTo(503);
		assertThat(this.custom.post(unavailable).send().isReplay()).isTrue();
	}

	@Test
	void runsNothingAgainBecauseTheApplicationsOwnPolicyFailed() {
		String path = "/undecided?request=" + TestServer.newKey();
		assertThat(this.custom.post(path).send().status()).isEqualTo(500);
		Answer again = this.custom.post(path).send();
		again.assertProblem(409, "not-replayable");
		assertThat(this.custom.executions().of("undecided")).isEqualTo(1);
	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/webhook")
		@Idempotent(key = "header('webhook-id')")
		String webhook() {
			return this.executions.next("webhook");
		}

		@PostMapping("/events")
		@Idempotent(key = "body('/event/id')")
		String event(@RequestBody String body, IdempotencyContext context) {
			return this.executions.next("events") + " key " + context.key().value();
		}

		@PutMapping("/documents/{id}")
		@Idempotent(key = "path('id') + ':' + query('version')")
		String document(IdempotencyContext context) {
			return this.executions.next("documents") + " key " + context.key().value();
		}

		@PutMapping("/versions/{id}")
		@Idempotent(key = "join(path('id'), query('version'))")
		String version(IdempotencyContext context) {
			return this.executions.next("versions") + " key " + context.key().value();
		}

		@PostMapping("/joined-body")
		@Idempotent(key = "'of ' + join(join(body('/a'), body('/b')), 'POST')")
		String joinedBody(@RequestBody String body, IdempotencyContext context) {
			return this.executions.next("joined-body") + " key " + context.key().value();
		}

		@PostMapping("/derived-and-more")
		@Idempotent(key = "derived() + ':' + header('x')")
		void derivedAndMore() {
		}

		@PostMapping("/optional/{id}")
		@Idempotent(key = "path('id') + ':' + query('version')", required = false)
		String optional() {
			return this.executions.next("optional");
		}

	}

	@RestController
	record Forms(Executions executions) {

		@PostMapping("/form-key")
		@Idempotent(key = "query('version')")
		String form(String note) {
			return note + ": " + this.executions.next("form-key");
		}

	}

	@RestController
	record Sessions(Executions executions) {

		@PostMapping("/session")
		void session(HttpServletRequest request) {
			request.getSession();
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		String derived(@RequestBody String body, IdempotencyContext context) {
			return this.executions.next("derived") + " key " + context.key().value();
		}

	}

	/**
	 * A POST that runs once.
	 */
	@Idempotent(ttl = "2m")
	@RequestMapping(method = RequestMethod.POST)
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface PostOnce {

		@AliasFor(annotation = RequestMapping.class)
		String[] path();

	}

	@RestController
	record Annotations(Executions executions) {

		@PostMapping("/ttl")
		@Idempotent(ttl = "${orders.ttl:1h}")
		String ttl() {
			return this.executions.next("ttl");
		}

		@PostOnce(path = "/post-once")
		ResponseEntity<String> postOnce() {
			return ResponseEntity.status(HttpStatus.CREATED).body(this.executions.next("post-once"));
		}

	}

	@RestController
	@RequestMapping("/type")
	@Idempotent(key = "header('X-Type')")
	record TypeLevel(Executions executions) {

		@PostMapping("/inherits")
		String inherits() {
			return this.executions.next("inherits");
		}

		@PostMapping("/overrides")
		@Idempotent
		String overrides() {
			return this.executions.next("overrides");
		}

		@PostMapping("/opts-out")
		@Idempotent(enabled = false)
		String optsOut() {
			return this.executions.next("opts-out");
		}

	}

	interface DeclaredApi {

		@PostMapping("/declared")
		@Idempotent
		String declared();

	}

	@RestController
	record Declared(Executions executions) implements DeclaredApi {

		@Override
		public String declared() {
			return this.executions.next("declared");
		}

	}

	/**
	 * What an application may decide itself.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Strategies {

		@Bean
		KeyResolver keyResolver() {
			return (request) -> request.parameters("request").stream().findFirst().orElse(null);
		}

		@Bean
		ScopeResolver scopeResolver() {
			return (request, operation) -> new IdempotencyScope("", operation, null, request.header("X-Tenant"));
		}

		@Bean
		RequestFingerprinter fingerprinter() {
			return RequestFingerprinter.none();
		}

		@Bean
		ResponsePolicy responsePolicy() {
			return (request, status) -> {
				if (status == 499) {
					throw new IllegalStateException("Who would have thought of that status");
				}
				return status != 418;
			};
		}

	}

	@RestController
	@Idempotent
	record Customized(Executions executions) {

		@PostMapping("/custom")
		String custom(@RequestBody(required = false) String body) {
			return this.executions.next("custom");
		}

		@PostMapping("/teapot")
		ResponseEntity<String> teapot() {
			return ResponseEntity.status(418).body(this.executions.next("teapot"));
		}

		@PostMapping("/undecided")
		ResponseEntity<String> undecided() {
			return ResponseEntity.status(499).body(this.executions.next("undecided"));
		}

		@PostMapping("/unavailable")
		ResponseEntity<String> unavailable() {
			return ResponseEntity.status(503).body(this.executions.next("unavailable"));
		}

	}

}
