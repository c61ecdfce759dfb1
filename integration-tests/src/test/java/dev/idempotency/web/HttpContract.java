package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client of a protected endpoint sees, whatever stands around the endpoint. Each
 * subclass puts the same application into other surroundings.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HttpContract {

	/**
	 * Kinds of handlers that a request without a body reaches, with the status of their
	 * answer.
	 */
	static final List<String> KINDS = List.of("entity 201", "body 200", "text 200", "void-stream 202",
			"void-writer 200", "void-length 200", "void-flush 200", "void-bytes 200", "view 200", "redirect 302",
			"see-other 303", "send-redirect 307", "no-content 204", "not-modified 304", "empty 200", "send-error 404",
			"status-exception 410", "annotated-exception 402", "advised-exception 422", "callable 200",
			"callable-exception 422", "deferred 201", "deferred-error 410", "future 200", "task 200", "streaming 202",
			"emitter 200", "binary 200", "resource 200", "large 200", "route 201");

	private static final String FORM = "application/x-www-form-urlencoded";

	@AutoClose
	private TestServer server;

	@AutoClose
	private TestServer without;

	@BeforeAll
	void start() {
		this.server = start(new String[0]);
		this.without = start("idempotency.enabled=false");
	}

	/**
	 * Starts the application in the surroundings of this test.
	 */
	abstract TestServer start(String... properties);

	/**
	 * The kinds of handlers that there are in these surroundings.
	 */
	List<String> kinds() {
		return KINDS;
	}

	List<String> plainKinds() {
		return kinds().stream().filter((kind) -> !kind.startsWith("route")).toList();
	}

	static String[] with(String[] properties, String... more) {
		return Stream.concat(Stream.of(properties), Stream.of(more)).toArray(String[]::new);
	}

	TestServer server() {
		return this.server;
	}

	private static String kindOf(String kindAndStatus) {
		return kindAndStatus.substring(0, kindAndStatus.indexOf(' '));
	}

	private static int statusOf(String kindAndStatus) {
		return Integer.parseInt(kindAndStatus.substring(kindAndStatus.indexOf(' ') + 1));
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void runsOnceAndRepeatsTheAnswer(String kindAndStatus) {
		String kind = kindOf(kindAndStatus);
		int before = this.server.executions().of(kind);
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/" + kind).key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(statusOf(kindAndStatus));
		assertThat(first.isReplay()).isFalse();
		assertThat(first.effect()).isEqualTo((first.status() == 201) ? "created" : "executed");
		for (int retry = 0; retry < 2; retry++) {
			Answer again = this.server.post("/kinds/" + kind).key(key).send();
			again.assertExactReplayOf(first);
		}
		assertThat(this.server.executions().of(kind)).isEqualTo(before + 1);
	}

	@ParameterizedTest
	@MethodSource("plainKinds")
	void leavesEndpointsAloneThatAreNotProtected(String kindAndStatus) {
		String kind = kindOf(kindAndStatus);
		Answer expected = this.without.post("/plain/" + kind).send();
		for (String key : Arrays.asList(null, TestServer.newKey())) {
			int before = this.server.executions().of(kind);
			Answer first = this.server.post("/plain/" + kind).key(key).send();
			Answer second = this.server.post("/plain/" + kind).key(key).send();
			assertThat(this.server.executions().of(kind)).isEqualTo(before + 2);
			for (Answer answer : List.of(first, second)) {
				assertThat(answer.status()).as("%s", answer).isEqualTo(expected.status());
				assertThat(answer.lastingHeaders().keySet()).isEqualTo(expected.lastingHeaders().keySet());
				assertThat(answer.headers()).doesNotContainKeys("Idempotency-Effect", "Idempotent-Replayed");
			}
		}
	}

	@ParameterizedTest
	@MethodSource("plainKinds")
	void answersAsWithoutTheStarter(String kindAndStatus) {
		String kind = kindOf(kindAndStatus);
		Answer expected = this.without.post("/plain/" + kind).send();
		Answer first = this.server.post("/kinds/" + kind).key(TestServer.newKey()).send();
		assertThat(first.status()).isEqualTo(expected.status());
		assertThat(namesWithoutFraming(first)).isEqualTo(namesWithoutFraming(expected));
		assertThat(first.header("Content-Type")).isEqualTo(expected.header("Content-Type"));
	}

	/**
	 * What is held until it is stored has a known length, and is not sent in chunks.
	 */
	private static List<String> namesWithoutFraming(Answer answer) {
		return answer.lastingHeaders()
			.keySet()
			.stream()
			.map((name) -> name.toLowerCase(Locale.ROOT))
			.filter((name) -> !name.equals("content-length") && !name.equals("transfer-encoding"))
			.toList();
	}

	/**
	 * Which headers filters add to such an answer depends on which of two threads comes
	 * first.
	 */
	@Test
	void repeatsTheAnswerOfAHandlerThatWritesPastAllFilters() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/rawest-async").key(key).send();
		assertThat(first.text()).startsWith("rawest-async no. ");
		Answer again = this.server.post("/kinds/rawest-async").key(key).send();
		again.assertReplayOf(first);
		assertThat(again.header("Content-Type")).isEqualTo(first.header("Content-Type"));
	}

	@Test
	void comparesForms() {
		String key = TestServer.newKey();
		Answer first = form("/kinds", key, "amount=5+%E2%82%AC&item=a&item=b");
		assertThat(first.text()).startsWith("5 € for [q, a, b]: form no. ");
		assertThat(form("/kinds", key, "item=a&item=b&amount=5+%E2%82%AC").body()).isEqualTo(first.body());
		assertThat(form("/kinds", key, "amount=6&item=a&item=b").status()).isEqualTo(422);
		assertThat(form("/kinds", key, "amount=5+%E2%82%AC&item=b&item=a").status()).isEqualTo(422);
	}

	private Answer form(String path, @Nullable String key, String form) {
		return this.server.post(path + "/form?item=q").key(key).body(FORM, form).send();
	}

	@Test
	void comparesUploadsWhateverTheirBoundary() {
		String key = TestServer.newKey();
		Answer first = upload("/kinds", key, "one", "content", "cat.txt");
		assertThat(first.text()).startsWith("cat.txt 7 grüße ");
		Answer again = upload("/kinds", key, "another", "content", "cat.txt");
		again.assertReplayOf(first);
		assertThat(upload("/kinds", key, "one", "Content", "cat.txt").status()).isEqualTo(422);
		assertThat(upload("/kinds", key, "one", "content", "dog.txt").status()).isEqualTo(422);
	}

	private Answer upload(String path, @Nullable String key, String boundary, String content, String fileName) {
		String body = String.join("\r\n", "--" + boundary,
				"Content-Disposition: form-data; name=\"file\"; filename=\"" + fileName + "\"",
				"Content-Type: text/plain", "", content, "--" + boundary,
				"Content-Disposition: form-data; name=\"note\"", "", "grüße", "--" + boundary + "--", "");
		return this.server.post(path + "/upload")
			.key(key)
			.body("multipart/form-data; boundary=" + boundary, body)
			.send();
	}

	@Test
	void givesTheHandlerEveryByteOfTheBody() {
		byte[] body = new byte[300_000];
		new Random(1).nextBytes(body);
		for (String type : List.of("application/octet-stream", FORM, "application/json", "text/plain")) {
			String expected = "%d bytes %d: echo".formatted(body.length, Arrays.hashCode(body));
			byte[] sent = type.equals(FORM) ? "a=b&c=%20d".getBytes(StandardCharsets.UTF_8) : body;
			if (type.equals(FORM)) {
				expected = "%d bytes %d: echo".formatted(sent.length, Arrays.hashCode(sent));
			}
			assertThat(this.server.post("/kinds/echo").key(TestServer.newKey()).body(type, sent).send().text())
				.startsWith(expected);
			assertThat(this.server.post("/plain/echo").body(type, sent).send().text()).startsWith(expected);
		}
	}

	@Test
	void leavesBodiesAloneThatAreNotProtected() {
		for (String key : Arrays.asList(null, TestServer.newKey())) {
			for (int i = 0; i < 2; i++) {
				assertThat(form("/plain", key, "amount=5&item=a").text()).startsWith("5 for [q, a]: form no. ");
				assertThat(upload("/plain", key, "one", "content", "cat.txt").text()).startsWith("cat.txt 7 grüße ");
			}
		}
	}

	@Test
	void takesJsonInAnotherOrderForTheSame() {
		String key = TestServer.newKey();
		Answer first = json(key, "{\"customer\":\"c1\",\"lines\":[{\"item\":\"a\",\"price\":1.50}]}");
		Answer again = json(key, " { \"lines\" : [ { \"price\":1.5, \"item\":\"\\u0061\" } ], \"customer\":\"c1\" }");
		again.assertReplayOf(first);
		assertThat(json(key, "{\"customer\":\"c1\",\"lines\":[{\"item\":\"a\",\"price\":1.51}]}").status())
			.isEqualTo(422);
	}

	private Answer json(String key, String json) {
		return this.server.post("/kinds/json").key(key).json(json).send();
	}

	@Test
	void tellsConcretePathsAndQueriesApart() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/orders/1/capture?amount=1").key(key).send();
		assertThat(first.status()).isEqualTo(200);
		assertThat(this.server.post("/kinds/orders/2/capture?amount=1").key(key).send().status()).isEqualTo(422);
		assertThat(this.server.post("/kinds/orders/1/capture?amount=2").key(key).send().status()).isEqualTo(422);
		assertThat(this.server.post("/kinds/orders/1/capture?amount=1").key(key).send().body()).isEqualTo(first.body());
	}

	@Test
	void keepsOperationsApart() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/kinds/body").key(key).send().isReplay()).isFalse();
		assertThat(this.server.post("/kinds/text").key(key).send().isReplay()).isFalse();
		assertThat(this.server.call("PUT", "/kinds/thing").key(key).send().effect()).isEqualTo("updated");
		assertThat(this.server.call("DELETE", "/kinds/thing").key(key).send().effect()).isEqualTo("deleted");
		assertThat(this.server.call("DELETE", "/kinds/thing").key(key).send().effect()).isEqualTo("noop");
	}

	@Test
	void asksForAKey() {
		int before = this.server.executions().of("body");
		Answer answer = this.server.post("/kinds/body").send();
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text()).contains("\"type\":\"urn:idempotency:key-missing\"", "in the Idempotency-Key header");
		assertThat(this.server.executions().of("body")).isEqualTo(before);
	}

	@Test
	void runsDuplicatesOnceThatComeAtTheSameTime() throws Exception {
		int before = this.server.executions().of("entity");
		String key = TestServer.newKey();
		List<Answer> answers = Race.run(16, () -> this.server.post("/kinds/entity").key(key).send());
		assertThat(this.server.executions().of("entity")).isEqualTo(before + 1);
		assertThat(answers).extracting(Answer::status).isSubsetOf(201, 409).contains(201);
	}

}
