package dev.idempotency.web;

import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.Reason;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.store.InspectableStore;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a handler never saw is not remembered: the client repairs its request and sends it
 * with the same key. That is nothing to worry the operator with.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTests {

	static final String FORM = "application/x-www-form-urlencoded";

	static final String MULTIPART = "multipart/form-data; boundary=xx";

	static final String JSON = "application/json";

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@AutoClose
	final TestServer server = start(List.of(WebTestApplication.class, Events.class, Endpoints.class));

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@BeforeAll
	void listen() {
		// Only now, for the application has set up logging anew
		this.logged.start();
		logger().addAppender(this.logged);
	}

	@AfterAll
	void stopListening() {
		logger().detachAppender(this.logged);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("dev.idempotency");
	}

	@BeforeEach
	void forget() {
		this.server.bean(Events.class).clear();
		this.logged.list.clear();
	}

	@AfterEach
	void worriesNobody() {
		assertThat(List.copyOf(this.logged.list)).filteredOn((event) -> event.getLevel().isGreaterOrEqual(Level.WARN))
			.allMatch(BadInputTests::isOfAnApplicationThatHasEnded);
	}

	/**
	 * Applications of other tests give up half a minute after their end.
	 */
	private static boolean isOfAnApplicationThatHasEnded(ILoggingEvent event) {
		return event.getMessage().startsWith("Gave up on {} executions");
	}

	Stream<BadInput> badInputs() {
		return Stream.of(new BadInput("broken JSON", "/json", JSON, "{\"item\":", 400),
				new BadInput("JSON of another kind", "/json", JSON, "{\"amount\":\"many\"}", 400),
				new BadInput("no body", "/json", JSON, "", 400),
				new BadInput("a body that is not valid", "/json", JSON, "{\"item\":\" \",\"amount\":1}", 400),
				new BadInput("another content type", "/json", "text/plain", "{\"item\":\"a\"}", 415),
				new BadInput("no content type that exists", "/json", "nonsense", "{\"item\":\"a\"}", 415),
				new BadInput("another content type than mapped", "/consumes", "text/plain", "{\"item\":\"a\"}", 415),
				new BadInput("a missing parameter", "/form", FORM, "", 400),
				new BadInput("a parameter of another type", "/form", FORM, "amount=many", 400),
				new BadInput("a parameter that is not valid", "/form", FORM, "amount=1000", 400),
				new BadInput("a form that cannot be bound", "/bound", FORM, "amount=many&item=a", 400),
				new BadInput("a form that is not valid", "/bound", FORM, "amount=1&item=", 400),
				new BadInput("a missing part", "/upload", MULTIPART, part("other", "a.txt"), 400),
				new BadInput("no multipart body", "/upload", FORM, "file=a", 500));
	}

	static String part(String name, String file) {
		return "--xx\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\n\r\ncontent\r\n--xx--\r\n"
			.formatted(name, file);
	}

	@ParameterizedTest
	@MethodSource("badInputs")
	void answersAsWithoutProtectionAndRemembersNothing(BadInput bad) {
		String key = TestServer.newKey();
		Answer refused = this.server.post(bad.path()).key(key).body(bad.type(), bad.content()).send();
		assertThat(refused.status()).as("%s", refused).isEqualTo(bad.status());
		assertThat(refused.header("Content-Type")).isEqualTo(JSON);
		assertThat(refused.text()).contains("\"path\":\"%s\"".formatted(bad.path())).doesNotContain("urn:idempotency");
		assertThat(refused.isReplay()).isFalse();
		assertThat(find(bad.path(), key)).isFalse();
		Answer repaired = repaired(bad.path(), key);
		assertThat(repaired.status()).as("%s", repaired).isEqualTo(201);
		assertThat(repaired.effect()).isEqualTo("created");
		assertThat(repaired.isReplay()).isFalse();
		assertThat(repaired(bad.path(), key).body()).isEqualTo(repaired.body());
	}

	@ParameterizedTest
	@MethodSource("badInputs")
	void saysThatNothingRan(BadInput bad) {
		int before = this.server.executions().of(bad.path());
		Answer refused = this.server.post(bad.path()).key(TestServer.newKey()).body(bad.type(), bad.content()).send();
		assertThat(this.server.executions().of(bad.path())).isEqualTo(before);
		// No handler has this mapping, so nothing protects it
		assertThat(refused.effect()).isEqualTo(bad.path().equals("/consumes") ? "" : "none");
	}

	Answer repaired(String path, String key) {
		TestServer.Call call = this.server.post(path).key(key);
		return switch (path) {
			case "/json", "/consumes" -> call.json("{\"item\":\"a\",\"amount\":1}").send();
			case "/upload" -> call.body(MULTIPART, part("file", "a.txt")).send();
			default -> call.body(FORM, "amount=1&item=a").send();
		};
	}

	@Test
	void remembersNothingOfARequestWithoutARequiredHeader() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/header").key(key).send().status()).isEqualTo(400);
		assertThat(this.server.post("/header").key(key).header("X-Needed", "yes").send().status()).isEqualTo(201);
	}

	@Test
	void remembersNothingOfABodyThatWasCutOff() {
		String key = TestServer.newKey();
		sendCutOff(
				RawClient.post(this.server, "/json").header("Idempotency-Key", key).cutOff(JSON, 100, "{\"item\":\"a"));
		assertThat(find("/json", key)).isFalse();
		assertThat(repaired("/json", key).status()).isEqualTo(201);
		assertRejected("POST /json", Reason.BODY_UNREADABLE);
	}

	/**
	 * Sends a request whose client says that it will send no more.
	 */
	void sendCutOff(RawClient client) {
		assertThat(client.send().status()).isEqualTo(400);
	}

	@Test
	void remembersNothingOfABodyInMalformedChunks() {
		String key = TestServer.newKey();
		Answer refused = RawClient.post(this.server, "/json")
			.header("Idempotency-Key", key)
			.malformedChunk(JSON)
			.send();
		assertThat(refused.status()).isEqualTo(400);
		assertThat(find("/json", key)).isFalse();
		assertThat(repaired("/json", key).status()).isEqualTo(201);
		assertRejected("POST /json", Reason.BODY_UNREADABLE);
	}

	@Test
	void remembersNothingOfAClientThatHangsUpInTheMiddleOfItsBody() {
		String key = TestServer.newKey();
		RawClient.post(this.server, "/json")
			.header("Idempotency-Key", key)
			.cutOff(JSON, 100, "{\"item\":\"a")
			.sendAndHangUp();
		Awaitility.await()
			.untilAsserted(() -> assertThat(rejected()).containsExactly("POST /json BODY_UNREADABLE true"));
		assertThat(find("/json", key)).isFalse();
		assertThat(repaired("/json", key).status()).isEqualTo(201);
	}

	@Test
	void remembersNothingOfAFormThatIsMalformed() {
		String key = TestServer.newKey();
		Answer refused = this.server.post("/form").key(key).body(FORM, "amount=%zz").send();
		assertThat(refused.status()).isEqualTo(400);
		assertThat(refused.effect()).isEqualTo("none");
		assertThat(find("/form", key)).isFalse();
		assertThat(repaired("/form", key).status()).isEqualTo(201);
		assertRejected("POST /form", Reason.BODY_UNREADABLE);
	}

	@Test
	void remembersNothingOfAMultipartBodyThatHasNoEnd() {
		String key = TestServer.newKey();
		Answer refused = this.server.post("/upload").key(key).body(MULTIPART, "--xx\r\nContent-").send();
		assertThat(refused.status()).isGreaterThanOrEqualTo(400);
		assertThat(find("/upload", key)).isFalse();
		assertThat(repaired("/upload", key).status()).isEqualTo(201);
	}

	@Test
	void countsARequestWithoutAKey() {
		this.server.post("/json").json("{}").send();
		assertRejected("POST /json", Reason.KEY_MISSING);
	}

	@Test
	void countsAKeyThatCannotBeUsed() {
		this.server.post("/items/7").key("two words").send();
		assertRejected("POST /items/{id}", Reason.KEY_INVALID);
	}

	@Test
	void countsABodyThatIsTooLarge() {
		this.server.post("/json").key(TestServer.newKey()).json("x".repeat(1024 * 1024 + 1)).send();
		assertRejected("POST /json", Reason.BODY_TOO_LARGE);
	}

	@Test
	void tellsThatTheKeyOfARequestThatItsHandlerNeverSawIsFree() {
		this.server.post("/json").key(TestServer.newKey()).json("{").send();
		Events events = this.server.bean(Events.class);
		assertThat(events.of(IdempotencyEvent.Decided.class)).singleElement()
			.satisfies((event) -> assertThat(event.answer()).isNull());
		assertThat(events.of(IdempotencyEvent.Released.class)).hasSize(1);
		assertThat(events.of(IdempotencyEvent.Finished.class)).isEmpty();
		assertThat(rejected()).isEmpty();
	}

	private void assertRejected(String operation, Reason reason) {
		assertThat(this.server.bean(Events.class).of(IdempotencyEvent.Rejected.class))
			.containsExactly(new IdempotencyEvent.Rejected(operation, reason, true));
	}

	private List<String> rejected() {
		return this.server.bean(Events.class)
			.of(IdempotencyEvent.Rejected.class)
			.stream()
			.map((event) -> "%s %s %s".formatted(event.operation(), event.reason(), event.enforced()))
			.toList();
	}

	boolean find(String path, String key) {
		return this.server.bean(InspectableStore.class)
			.find(IdempotencyKey.of("POST " + path, key).within("test"))
			.isPresent();
	}

	record BadInput(String name, String path, String type, String content, int status) {

		@Override
		public String toString() {
			return this.name;
		}

	}

	record Order(@NotBlank String item, int amount) {
	}

	@RestController
	@Idempotent
	@ResponseStatus(HttpStatus.CREATED)
	record Endpoints(Executions executions) {

		@PostMapping("/json")
		String json(@Valid @RequestBody Order order) {
			return this.executions.next("/json");
		}

		@PostMapping(path = "/consumes", consumes = JSON)
		String consumes(@RequestBody Order order) {
			return this.executions.next("/consumes");
		}

		@PostMapping("/form")
		String form(@RequestParam @Max(10) int amount) {
			return this.executions.next("/form");
		}

		@PostMapping("/bound")
		String bound(@Valid @ModelAttribute Order order) {
			return this.executions.next("/bound");
		}

		@PostMapping("/header")
		String header(@RequestHeader("X-Needed") String needed) {
			return this.executions.next("/header");
		}

		@PostMapping("/upload")
		String upload(@RequestPart MultipartFile file) {
			return this.executions.next("/upload");
		}

		@PostMapping("/items/{id}")
		String item() {
			return this.executions.next("/items");
		}

	}

}
