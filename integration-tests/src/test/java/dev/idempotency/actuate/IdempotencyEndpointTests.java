package dev.idempotency.actuate;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.actuate.PaymentsApplication.Payments;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.web.Answer;
import dev.idempotency.web.Bystanders;
import dev.idempotency.web.TestServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What operators see of a running application, and what nobody sees.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class IdempotencyEndpointTests {

	@AutoClose
	private final TestServer server = start(List.of(), "idempotency.encryption.key=MDEyMzQ1Njc4OWFiY2RlZg==",
			"idempotency.max-replays=3");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> added, String... properties) {
		return PaymentsApplication.start(added, properties);
	}

	private Answer get(String path) {
		return get(this.server, path);
	}

	private static Answer get(TestServer server, String path) {
		return server.call("GET", "/actuator" + path).send();
	}

	private static IdempotencyKey stored(String key) {
		return new IdempotencyKey(new IdempotencyScope("test", "POST /payments", null, null), key);
	}

	private static DocumentContext json(Answer answer) {
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		return JsonPath.parse(answer.text());
	}

	private DocumentContext getJson(String path) {
		return json(get(path));
	}

	private static Map<String, Object> map(DocumentContext context, String path) {
		return context.read(path);
	}

	private Answer pay(String key) {
		return this.server.post("/payments").key(key).json("{\"card\":\"4111111111111111\"}").send();
	}

	@Test
	void tellsInOneRequestWhatHappenedToAKey() {
		String key = "req-" + TestServer.newKey();
		String body = pay(key).text();
		pay(key);
		DocumentContext found = getJson("/idempotency/records?key=" + key);
		assertThat(found.read("$.records.length()", Integer.class)).isEqualTo(1);
		Map<String, Object> record = found.read("$.records[0]");
		assertThat(record).containsEntry("operation", "POST /payments")
			.containsEntry("state", "COMPLETED")
			.containsEntry("attempt", 1)
			.containsEntry("replays", 1)
			.containsEntry("answer", Map.of("status", 201, "size", body.length()))
			.containsKeys("created", "completed", "expires", "storedBytes");
		String id = found.read("$.records[0].id");
		assertThat(id).isEqualTo(RecordId.of(stored(key)).value());
		assertThat(map(getJson("/idempotency/records/" + id), "$")).isEqualTo(record);
	}

	@Test
	void findsAKeyByTheHashThatLogsShow() {
		String key = TestServer.newKey();
		pay(key);
		IdempotencyKey stored = stored(key);
		assertThat(getJson("/idempotency/records?hash=" + stored.hash()).read("$.records[0].id", String.class))
			.isEqualTo(RecordId.of(stored).value());
		assertThat(getJson("/idempotency/records?hash=%23" + stored.hash().toUpperCase(Locale.ROOT))
			.read("$.records.length()", Integer.class)).isEqualTo(1);
	}

	@Test
	void countsWhatIsRemembered() {
		int before = getJson("/idempotency").read("$.records.total");
		pay(TestServer.newKey());
		DocumentContext overview = getJson("/idempotency");
		assertThat(overview.read("$.store", String.class)).isEqualTo("memory");
		assertThat(overview.read("$.records.total", Integer.class)).isEqualTo(before + 1);
		assertThat(overview.read("$.records.exact", Boolean.class)).isTrue();
		List<Integer> completed = overview
			.read("$.records.operations[?(@.operation == 'POST /payments')].states.COMPLETED");
		assertThat(completed).singleElement().isEqualTo(overview.read("$.records.states.COMPLETED"));
	}

	@Test
	void countsWhatThisInstanceDid() {
		DocumentContext before = getJson("/idempotency");
		String key = TestServer.newKey();
		pay(key);
		pay(key);
		this.server.post("/payments").key(key).json("{\"card\":\"another\"}").send();
		this.server.post("/payments").json("{}").send();
		DocumentContext after = getJson("/idempotency");
		assertThat(sum(after, "executed") - sum(before, "executed")).isEqualTo(1);
		assertThat(sum(after, "replayed") - sum(before, "replayed")).isEqualTo(1);
		assertThat(sum(after, "refused") - sum(before, "refused")).isEqualTo(2);
		assertThat(after.read("$.recent.executed.length()", Integer.class)).isEqualTo(RecentAttempts.SLICES);
	}

	private static int sum(DocumentContext overview, String kind) {
		List<Integer> numbers = overview.read("$.recent." + kind);
		return numbers.stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Does something while a transfer waits for the bank.
	 */
	private Answer transfer(String key, Runnable meanwhile) {
		Payments payments = this.server.bean(Payments.class);
		payments.closeBank();
		CompletableFuture<Answer> first = CompletableFuture
			.supplyAsync(() -> this.server.post("/transfers").key(key).send());
		try {
			Awaitility.await()
				.until(() -> getJson("/idempotency/records?state=in-progress").read("$.records.length()",
						Integer.class) == 1);
			meanwhile.run();
		}
		finally {
			payments.openBank();
		}
		return first.join();
	}

	@Test
	void showsAKeyInProgressWithItsLease() {
		String key = TestServer.newKey();
		Answer first = transfer(key, () -> {
			DocumentContext found = getJson("/idempotency/records?state=in-progress&operation=POST%20/transfers");
			assertThat(found.read("$.records[0].leaseLeftMillis", Integer.class)).isBetween(1, 30_000);
			assertThat(this.server.post("/transfers").key(key).send().status()).isEqualTo(409);
		});
		assertThat(first.status()).isEqualTo(200);
		assertThat(getJson("/idempotency/records?key=" + key).read("$.records[0].state", String.class))
			.isEqualTo("COMPLETED");
	}

	@Test
	void givesPagesOfTheNewestFirst() {
		String first = TestServer.newKey();
		pay(first);
		String second = TestServer.newKey();
		// Not in the same millisecond
		long then = System.currentTimeMillis();
		Awaitility.await().until(() -> System.currentTimeMillis() > then + 1);
		pay(second);
		String newest = getJson("/idempotency/records?size=1").read("$.records[0].hash");
		assertThat(newest).isEqualTo(getJson("/idempotency/records?key=" + second).read("$.records[0].hash"));
		DocumentContext next = getJson("/idempotency/records?size=1&page=1");
		assertThat(next.read("$.records[0].hash", String.class))
			.isEqualTo(getJson("/idempotency/records?key=" + first).read("$.records[0].hash"));
		assertThat(getJson("/idempotency/records?size=1").read("$.more", Boolean.class)).isTrue();
		assertThat(getJson("/idempotency/records?olderThan=1h").read("$.records.length()", Integer.class)).isZero();
		assertThat(getJson("/idempotency/records?youngerThan=1h&size=1").read("$.records.length()", Integer.class))
			.isEqualTo(1);
	}

	@Test
	void forgetsAKeyWhichThenRunsAgain() {
		String key = TestServer.newKey();
		String body = pay(key).text();
		String id = getJson("/idempotency/records?key=" + key).read("$.records[0].id");
		assertThat(this.server.call("DELETE", "/actuator/idempotency/records/" + id).send().status()).isEqualTo(204);
		assertThat(get("/idempotency/records/" + id).status()).isEqualTo(404);
		assertThat(this.server.call("DELETE", "/actuator/idempotency/records/" + id).send().status()).isEqualTo(404);
		assertThat(pay(key).text()).isNotEqualTo(body);
	}

	/**
	 * Leaves a key as a process does that dies: its request is known, and nobody renews
	 * its lease.
	 */
	private String abandon(String key) {
		pay(key);
		SearchableStore store = this.server.bean(SearchableStore.class);
		Fingerprint fingerprint = store.find(stored(key)).orElseThrow().fingerprint();
		store.forget(stored(key));
		return abandon(stored(key), fingerprint);
	}

	private String abandon(IdempotencyKey stored, Fingerprint fingerprint) {
		this.server.bean(SearchableStore.class)
			.claim(stored, fingerprint,
					new ClaimTerms(Duration.ofMillis(1), Duration.ofHours(1), OnCrash.REFUSE, OnReplay.READ));
		String id = RecordId.of(stored).value();
		Awaitility.await()
			.until(() -> getJson("/idempotency/records/" + id).read("$.state", String.class).equals("ABANDONED"));
		return id;
	}

	@Test
	void tellsAnOutcomeThatWasReportedFromACrash() {
		IdempotencyKey crashed = stored(TestServer.newKey());
		abandon(crashed, Fingerprint.none());
		String id = report(this.server, crashed.scope().operation()).value();
		assertThat(getJson("/idempotency/records/" + id).read("$.state", String.class)).isEqualTo("REPORTED_UNKNOWN");
		assertThat(getJson("/idempotency/records?state=reported-unknown").<List<String>>read("$.records[*].id"))
			.containsExactly(id);
	}

	private Answer settle(String id, String outcome) {
		return settle(this.server, id, outcome);
	}

	private static Answer settle(TestServer server, String id, String outcome) {
		return server.call("POST", "/actuator/idempotency/records/" + id).json(outcome).send();
	}

	@Test
	void settlesAnAbandonedKeyAsDoneWithTheAnswerThatItsRetriesGet(CapturedOutput output) {
		String key = TestServer.newKey();
		String id = abandon(key);
		assertThat(pay(key).status()).as("onCrash = REFUSE").isEqualTo(409);
		assertThat(settle(id, """
				{"outcome": "done", "status": 201, "headers": "Location: /payments/7\\nX-Part: 1\\nX-Part: 2",
				"body": "{\\"id\\": 7, \\"note\\": \\"f\u00fcr Anna\\"}"}""").status()).isEqualTo(204);
		Answer replay = pay(key);
		assertThat(replay.status()).as("%s", replay).isEqualTo(201);
		assertThat(replay.isReplay()).isTrue();
		assertThat(replay.effect()).isEqualTo("noop");
		assertThat(replay.text()).isEqualTo("{\"id\": 7, \"note\": \"f\u00fcr Anna\"}");
		assertThat(replay.header("Content-Type")).isEqualTo("application/json");
		assertThat(replay.header("Location")).isEqualTo("/payments/7");
		assertThat(replay.headers().get("X-Part")).containsExactly("1", "2");
		assertThat(map(getJson("/idempotency/records/" + id), "$.answer")).containsEntry("status", 201);
		assertThat(output).contains("The record " + id + " was settled as done by an unauthenticated caller")
			.doesNotContain(key)
			.doesNotContain("Anna");
		// The operation's own ttl, which counts from the settling claim, a moment before
		// its completion
		assertThat(Duration.between(Instant.parse(getJson("/idempotency/records/" + id).read("$.completed")),
				Instant.parse(getJson("/idempotency/records/" + id).read("$.expires"))))
			.isBetween(Duration.ofDays(7).minusMinutes(1), Duration.ofDays(7));
	}

	@Test
	void settlesAnAbandonedKeyAsDoneWithoutAnAnswer() {
		String key = TestServer.newKey();
		String id = abandon(key);
		int runs = this.server.bean(Payments.class).runs();
		assertThat(settle(id, "{\"outcome\": \"DONE\"}").status()).isEqualTo(204);
		assertThat(pay(key).text()).contains("not-replayable");
		assertThat(this.server.bean(Payments.class).runs()).isEqualTo(runs);
	}

	@Test
	void settlesAnAbandonedKeyAsNotDone() {
		String key = TestServer.newKey();
		String id = abandon(key);
		assertThat(settle(id, "{\"outcome\": \"not-done\"}").status()).isEqualTo(204);
		assertThat(get("/idempotency/records/" + id).status()).isEqualTo(404);
		Answer next = pay(key);
		assertThat(next.status()).isEqualTo(201);
		assertThat(next.isReplay()).isFalse();
		assertThat(getJson("/idempotency/records/" + id).read("$.attempt", Integer.class)).isEqualTo(1);
	}

	@Test
	void settlesNothingButAbandonedKeys() {
		String key = TestServer.newKey();
		String body = pay(key).text();
		String id = getJson("/idempotency/records?key=" + key).read("$.records[0].id");
		for (String outcome : List.of("{\"outcome\": \"done\", \"status\": 200}", "{\"outcome\": \"not-done\"}")) {
			Answer answer = settle(id, outcome);
			assertThat(answer.status()).isEqualTo(409);
			assertThat(answer.text()).contains("is completed");
			assertThat(settle("0".repeat(64), outcome).status()).isEqualTo(404);
		}
		assertThat(pay(key).text()).isEqualTo(body);
	}

	@Test
	void leavesARunningOperationAlone() {
		String key = TestServer.newKey();
		Answer first = transfer(key, () -> {
			String id = getJson("/idempotency/records?state=in-progress&key=" + key).read("$.records[0].id");
			assertThat(settle(id, "{\"outcome\": \"not-done\"}").status()).isEqualTo(409);
			assertThat(settle(id, "{\"outcome\": \"done\", \"status\": 200}").text())
				.containsPattern("in progress until its lease ends in ([1-9]|[12]\\d|30) s");
		});
		assertThat(first.text()).isEqualTo("transferred");
		assertThat(this.server.post("/transfers").key(key).send().isReplay()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiterString = "->",
			textBlock = """
					{} -> outcome must be done or not-done
					{"outcome": "perhaps"} -> outcome must be done or not-done
					{"outcome": ""} -> outcome must be done or not-done
					{"outcome": "not-done", "status": 200} -> outcome: an operation that was not done has no result
					{"outcome": "done", "body": "{}"} -> status is missing
					{"outcome": "done", "status": ""} -> status must be a whole number
					{"outcome": "done", "status": "ok"} -> status must be a whole number
					{"outcome": "done", "status": 200.5} -> status must be a whole number
					{"outcome": "done", "status": 99999999999} -> status must be a whole number
					{"outcome": "done", "status": 99} -> status must be from 200 to 599, but is 99
					{"outcome": "done", "status": 600} -> status must be from 200 to 599, but is 600
					{"outcome": "done", "status": 204, "body": "{}"} -> body: a response with status 204 has none
					{"outcome": "done", "status": 200, "body": "\\ud800"} -> body has characters that UTF-8 cannot encode
					{"outcome": "done", "status": 200, "body": "\u20ac", "contentType": "text/plain;charset=latin1"} -> body has
					{"outcome": "done", "value": "7"} -> value: POST /payments handles requests
					{"outcome": "done", "status": 200, "value": "7"} -> value excludes status
					{"outcome": "done", "status": 200, "contentType": "json"} -> contentType must be a media type
					{"outcome": "done", "status": 200, "contentType": "text/plain;charset=none"} -> contentType must be a media type
					{"outcome": "done", "status": 200, "headers": "Location"} -> headers must have a line for each header
					{"outcome": "done", "status": 200, "headers": "A B: 1"} -> headers: \"A B\" is not the name of a header
					{"outcome": "done", "status": 200, "headers": "Set-Cookie: a=b"} -> headers: Set-Cookie is not stored
					{"outcome": "done", "status": 200, "headers": "X-A: \\u0000"} -> headers: the value of X-A
					{"outcome": "done", "status": 200, "headers": "Content-Type: text/plain"} -> headers: give the content type
					{"outcome": "done", "status": 200, "force": "maybe"} -> force must be true or false
					{"outcome": "done", "status": 200, "header": "Location: /payments/7"} -> header is unknown
					{"outcome": "done", "status": 200, "Body": "{}"} -> Body is unknown
					{"outcome": "not-done", "caller": "me"} -> caller is unknown
					""")
	void refusesToSettleAsWhatMakesNoSense(String outcome, String reason) {
		String key = TestServer.newKey();
		String id = abandon(key);
		Answer answer = settle(id, outcome);
		assertThat(answer.status()).as("%s", answer).isEqualTo(400);
		assertThat(JsonPath.<String>read(answer.text(), "$.error")).startsWith(reason.replace("\\", ""));
		assertThat(getJson("/idempotency/records/" + id).read("$.state", String.class)).isEqualTo("ABANDONED");
	}

	@Test
	void tellsWhichFieldsItKnows() {
		String path = "/actuator/idempotency/records/" + abandon(TestServer.newKey());
		assertThat(this.server.call("POST", path).json("{\"outcome\": \"done\", \"header\": \"A: 1\"}").send().text())
			.contains("header is unknown, known are [outcome, status, contentType, headers, body, value, force]");
		assertThat(this.server.call("POST", path + "?dry-run").json("{\"outcome\": \"done\"}").send().text())
			.contains("dry-run is unknown");
		assertThat(this.server.call("DELETE", path + "?dry-run").send().text()).contains("dry-run is unknown");
		assertThat(get("/idempotency/records?olderthan=10m").text()).contains("olderthan is unknown", "olderThan");
	}

	/**
	 * Spring Boot binds a request to fields of text before it asks an endpoint.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "{\"outcome\": \"done\", \"status\": 200, \"body\": {\"id\": 7}}",
			"{\"outcome\": \"done\", \"status\": 200, \"headers\": [\"Location: /payments/7\"]}",
			"{\"outcome\": {\"not\": \"done\"}}", "[]", "\"not-done\"", "not-done", "{\"outcome\": \"not-done\"" })
	void refusesToSettleAsWhatIsNoObjectOfTexts(String outcome) {
		String id = abandon(TestServer.newKey());
		Answer answer = settle(id, outcome);
		assertThat(answer.status()).as("%s", answer).isEqualTo(400);
		assertThat(getJson("/idempotency/records/" + id).read("$.state", String.class)).isEqualTo("ABANDONED");
	}

	@Test
	void writesABodyInTheCharsetOfItsContentType() {
		String key = TestServer.newKey();
		assertThat(settle(abandon(key),
				"""
						{"outcome": "done", "status": 200, "contentType": "text/plain;charset=ISO-8859-1", "body": "f\u00fcr"}""")
			.status()).isEqualTo(204);
		assertThat(pay(key).body()).isEqualTo("f\u00fcr".getBytes(StandardCharsets.ISO_8859_1));
	}

	@Test
	void settlesNothingAsDoneThatWasRolledBackUnlessItIsMeant() {
		try (TestServer banking = start(List.of(Ledger.class), TestServer.WITH_SHARED_DATABASE,
				"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always")) {
			List<String> names = json(get(banking, "/idempotency/operations"))
				.read("$.operations[?(@.protection.transactional == true)].name");
			RecordId first = claimForAMoment(banking, names.get(0));
			RecordId second = claimForAMoment(banking, names.get(0));
			RecordId reported = report(banking, names.get(0));
			RecordId other = claimForAMoment(banking, "POST /payments");
			RecordId unknown = claimForAMoment(banking, "refund");
			assertThat(readTransactional(banking, first)).containsExactly(true);
			assertThat(readTransactional(banking, other)).containsExactly(false);
			assertThat(readTransactional(banking, unknown)).isEmpty();
			for (String outcome : List.of("{\"outcome\": \"done\"}", "{\"outcome\": \"done\", \"value\": \"7\"}",
					"{\"outcome\": \"done\", \"force\": false}")) {
				Answer refused = settle(banking, first.value(), outcome);
				assertThat(refused.status()).isEqualTo(409);
				assertThat(refused.text()).contains(names.get(0) + " is transactional", "not-done", "force");
			}
			assertThat(settle(banking, first.value(), "{\"outcome\": \"done\", \"value\": \"7\", \"force\": true}")
				.status()).isEqualTo(204);
			assertThat(settle(banking, first.value(), "{\"outcome\": \"done\"}").text()).contains("is completed");
			assertThat(settle(banking, second.value(), "{\"outcome\": \"not-done\"}").status()).isEqualTo(204);
			assertThat(settle(banking, reported.value(), "{\"outcome\": \"done\"}").status())
				.as("it may have committed")
				.isEqualTo(204);
			assertThat(settle(banking, other.value(), "{\"outcome\": \"done\"}").status()).isEqualTo(204);
			assertThat(settle(banking, unknown.value(), "{\"outcome\": \"done\"}").status()).isEqualTo(204);
		}
	}

	private static List<Boolean> readTransactional(TestServer server, RecordId id) {
		return json(get(server, "/idempotency/records/" + id)).read("$..transactional");
	}

	private static RecordId claimForAMoment(TestServer server, String operation) {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("test", operation, null, null),
				TestServer.newKey());
		SearchableStore store = server.bean(SearchableStore.class);
		store.claim(key, Fingerprint.none(),
				new ClaimTerms(Duration.ofMillis(1), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ));
		RecordId id = RecordId.of(key);
		Awaitility.await().until(() -> store.find(id).orElseThrow().summary().state() == RecordState.ABANDONED);
		return id;
	}

	private static RecordId report(TestServer server, String operation) {
		SearchableStore store = server.bean(SearchableStore.class);
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("test", operation, null, null),
				TestServer.newKey());
		ClaimResult claimed = store.claim(key, Fingerprint.none(),
				new ClaimTerms(Duration.ofHours(1), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ));
		store.abandon(((ClaimResult.Granted) claimed).claim());
		return RecordId.of(key);
	}

	@Test
	void countsNoReplaysWhereNobodyDoes() {
		try (TestServer plain = start(List.of())) {
			plain.post("/payments").key("req-001").json("{}").send();
			assertThat(plain.post("/payments").key("req-001").json("{}").send().isReplay()).isTrue();
			assertThat(map(json(get(plain, "/idempotency/records?key=req-001")), "$.records[0]"))
				.containsEntry("state", "COMPLETED")
				.doesNotContainKey("replays");
		}
	}

	@Test
	void refusesAnAnswerThatNoRequestCouldHaveHad() {
		String id = abandon(TestServer.newKey());
		Answer answer = settle(id,
				"{\"outcome\": \"done\", \"status\": 200, \"body\": \"%s\"}".formatted("x".repeat((4 << 20) + 1)));
		assertThat(answer.status()).isIn(400, 413);
		assertThat(getJson("/idempotency/records/" + id).read("$.state", String.class)).isEqualTo("ABANDONED");
	}

	@Test
	void settlesWhatIsRunByHandWithAValue() {
		IdempotencyKey key = IdempotencyKey.of("refund", TestServer.newKey());
		String id = abandon(key.within("test"), Fingerprint.none());
		assertThat(settle(id, "{\"outcome\": \"done\", \"status\": 200}").text()).contains("as value");
		assertThat(settle(id, "{\"outcome\": \"done\", \"value\": \"no JSON\"}").status()).isEqualTo(400);
		assertThat(settle(id, "{\"outcome\": \"done\", \"value\": \"[1, 2]\"}").status()).isEqualTo(204);
		assertThat(this.server.bean(Idempotency.class).execute(key, int[].class, () -> new int[0])).containsExactly(1,
				2);
	}

	@Test
	void reachesTheNewestTenThousandAndSaysSo() {
		for (String path : List.of("?size=100&page=99", "?size=1&page=9999", "?size=30&page=333")) {
			assertThat(get("/idempotency/records" + path).status()).as(path).isEqualTo(200);
		}
		for (String path : List.of("?size=100&page=100", "?page=500", "?size=1&page=10000", "?size=30&page=334",
				"?size=100&page=2147483647")) {
			Answer answer = get("/idempotency/records" + path);
			assertThat(answer.status()).as(path).isEqualTo(400);
			assertThat(answer.text()).as(path).contains("the newest 10000 records", "use a filter");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/idempotency/records?size=0", "/idempotency/records?olderThan=-5m",
			"/idempotency/records?size=101", "/idempotency/records?page=-1", "/idempotency/records?page=10001&size=1",
			"/idempotency/records?page=first", "/idempotency/records?hash=nonsense", "/idempotency/records?hash=12",
			"/idempotency/records?state=lost", "/idempotency/records?olderThan=soon", "/idempotency/records/abc",
			"/idempotency/operations/abc" })
	void refusesWhatMakesNoSense(String path) {
		assertThat(get(path).status()).isEqualTo(400);
	}

	@Test
	void knowsNothingElse() {
		assertThat(get("/idempotency/secrets").status()).isEqualTo(404);
		assertThat(get("/idempotency/records/" + "0".repeat(64)).status()).isEqualTo(404);
	}

	@Test
	void listsEveryUnsafeHandlerWithWhatProtectsIt() {
		DocumentContext audit = getJson("/idempotency/operations");
		assertThat(map(audit, "$.counts")).isEqualTo(Map.of("PROTECTED", 2, "UNPROTECTED", 1, "EXCLUDED", 1));
		assertThat(audit.read("$.score", Double.class)).isBetween(0.66, 0.67);
		assertThat(audit.<List<String>>read("$.operations[*].name")).first().isEqualTo("POST /mails");
		List<Map<String, Object>> payments = audit.read("$.operations[?(@.name == 'POST /payments')].protection");
		assertThat(payments).singleElement()
			.satisfies((protection) -> assertThat(protection).containsEntry("ttl", "PT168H")
				.containsEntry("keyRequired", true)
				.containsEntry("onConflict", "REJECT")
				.containsEntry("waitTimeout", "PT0S")
				.containsEntry("maxRequestBody", 1 << 20)
				.containsEntry("maxResponseBody", 4 << 20)
				.containsEntry("onCrash", "REFUSE")
				.containsEntry("keySource", "header Idempotency-Key"));
	}

	@Test
	void tellsItsHealth() {
		Map<String, Object> health = getJson("/health").read("$.components.idempotency");
		assertThat(health).containsEntry("status", "UP");
		assertThat(health.get("details")).asInstanceOf(InstanceOfAssertFactories.MAP)
			.containsEntry("store", "memory")
			.containsKey("latencyMillis");
	}

	@Test
	void tellsEveryoneOnlyWhatIsHarmless() {
		assertThat(map(getJson("/info"), "$.idempotency")).containsEntry("ttl", "PT24H")
			.satisfies((details) -> assertThat(details.keySet()).isSubsetOf("ttl", "version"));
		assertThat(map(getJson("/idempotency"), "$.settings")).containsEntry("store", "memory")
			.containsEntry("namespace", "test")
			.containsEntry("mode", "ENFORCE")
			.containsEntry("onStoreFailure", "REJECT")
			.containsEntry("lease", "PT30S");
	}

	@Test
	void tellsNobodyWhatWasSentOrAnswered(CapturedOutput output) {
		String key = "my-secret-key-" + TestServer.newKey();
		pay(key);
		String id = getJson("/idempotency/records?key=" + key).read("$.records[0].id");
		String printed = Stream
			.of("/idempotency", "/idempotency/records?key=" + key, "/idempotency/records?size=100",
					"/idempotency/records/" + id, "/idempotency/operations", "/health", "/info", "/idempotencyconsole")
			.map((path) -> get(path).text())
			.reduce("", String::concat);
		this.server.call("DELETE", "/actuator/idempotency/records/" + id).send();
		assertThat(printed + output).doesNotContain(key)
			.doesNotContain("secret-header-value")
			.doesNotContain("secret body")
			.doesNotContain("4111111111111111");
		assertThat(output).contains("was forgotten by an unauthenticated caller");
	}

	@Test
	void isNotThereUnlessItIsExposed() {
		try (TestServer plain = start(List.of(), "management.endpoints.web.exposure.include=health")) {
			assertThat(get(plain, "/idempotency").status()).isEqualTo(404);
			assertThat(get(plain, "/idempotencyconsole").status()).isEqualTo(404);
		}
	}

	@Test
	void forgetsNothingUnlessItMay() {
		// As in an application without that setting
		try (TestServer reading = start(List.of(), "management.endpoint.idempotency.access=",
				"management.endpoint.idempotency.show-values=always")) {
			reading.post("/payments").key("req-001").json("{}").send();
			DocumentContext found = json(get(reading, "/idempotency/records?key=req-001"));
			assertThat(found.read("$.records[0].key", String.class)).isEqualTo("req-001");
			String id = found.read("$.records[0].id");
			assertThat(reading.call("DELETE", "/actuator/idempotency/records/" + id).send().status()).isEqualTo(405);
			assertThat(settle(reading, id, "{\"outcome\": \"not-done\"}").status()).isEqualTo(405);
			assertThat(reading.post("/payments").key("req-001").json("{}").send().isReplay()).isTrue();
		}
	}

	@Test
	void leavesTheRecordsOfOtherApplicationsAlone() {
		RecordId foreign = RecordId.of(IdempotencyKey.of("pay", "1").within("another"));
		try (TestServer sharing = start(List.of(Shared.class))) {
			assertThat(json(get(sharing, "/idempotency")).read("$.records.total", Integer.class)).isZero();
			assertThat(get(sharing, "/idempotency/records/" + foreign).status()).isEqualTo(404);
			assertThat(sharing.call("DELETE", "/actuator/idempotency/records/" + foreign).send().status())
				.isEqualTo(404);
			assertThat(settle(sharing, foreign.value(), "{\"outcome\": \"not-done\"}").status()).isEqualTo(404);
			assertThat(sharing.bean(SearchableStore.class).find(foreign)).isPresent();
		}
	}

	@Test
	void livesWithAStoreThatFails(CapturedOutput output) {
		try (TestServer failing = start(List.of(Failing.class))) {
			for (String path : List.of("", "/records", "/records/" + "0".repeat(64))) {
				Answer answer = get(failing, "/idempotency" + path);
				assertThat(answer.status()).as(path).isEqualTo(503);
				assertThat(answer.text()).contains("see the log").doesNotContain("redis.internal");
			}
			Answer health = get(failing, "/health");
			assertThat(json(health).read("$.status", String.class)).isEqualTo("UP");
			assertThat(json(health).read("$.components.idempotency.status", String.class)).isEqualTo("UNKNOWN");
			assertThat(health.text()).doesNotContain("redis.internal");
			assertThat(output).contains("redis.internal");
		}
	}

	@Test
	void livesWithAStoreThatCannotBeLookedThrough() {
		try (TestServer opaque = start(List.of(Opaque.class))) {
			DocumentContext overview = json(get(opaque, "/idempotency"));
			assertThat(overview.read("$.store", String.class)).endsWith("FaultInjectingStore");
			assertThat(map(overview, "$")).doesNotContainKey("records");
			assertThat(get(opaque, "/idempotency/records").status()).isEqualTo(400);
			assertThat(json(get(opaque, "/health")).read("$.components.idempotency.details.reason", String.class))
				.contains("without claiming");
		}
	}

	private static InMemoryIdempotencyStore newStore() {
		return MemoryStores.with(new MonotonicClock());
	}

	@Configuration(proxyBeanMethods = false)
	static class Ledger {

		@Bean
		Account account() {
			return new Account();
		}

	}

	static class Account {

		@Idempotent(key = "#key", transactional = true)
		public int book(String key) {
			return 7;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Shared {

		@Bean
		IdempotencyStore store() {
			InMemoryIdempotencyStore store = newStore();
			ClaimTerms terms = new ClaimTerms(Duration.ofSeconds(30), Duration.ofHours(1), OnCrash.RETRY,
					OnReplay.READ);
			store.claim(IdempotencyKey.of("pay", "1").within("another"), Fingerprint.none(), terms);
			return store;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Failing {

		@Bean
		IdempotencyStore store() {
			return (IdempotencyStore) Proxy.newProxyInstance(Failing.class.getClassLoader(),
					new Class<?>[] { SearchableStore.class }, (proxy, method, arguments) -> switch (method.getName()) {
						case "toString" -> "failing";
						case "hashCode" -> 1;
						case "equals" -> false;
						default -> throw new IllegalStateException("redis.internal does not answer");
					});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Opaque {

		@Bean
		IdempotencyStore store() {
			return new FaultInjectingStore(newStore(), (verb) -> FaultInjectingStore.Fault.NONE);
		}

	}

}
