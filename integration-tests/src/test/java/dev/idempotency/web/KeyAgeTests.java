package dev.idempotency.web;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that tell their age, in memory, and what else tells it.
 */
class KeyAgeTests extends KeyAgeContract {

	private static final List<Class<?>> SOURCES = List.of(WebTestApplication.class, Endpoints.class, Gates.class);

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Test
	void aKeyWithoutATimeIsInvalid() {
		try (TestServer server = start(SOURCES, "idempotency.http.key-age=key")) {
			Answer answer = server.post("/aged").key(TestServer.newKey()).send();
			answer.assertProblem(400, "key-invalid");
			assertThat(answer.text()).contains("UUID of version 7 or a ULID");
			assertThat(server.post("/aged").key('"' + keyOf(Instant.now()) + '"').send().status()).isEqualTo(201);
			server.post("/aged").key("01ARZ3NDEKTSV4RRFFQ69G5FAV").send().assertProblem(412, "key-expired");
			assertThat(server.post("/aged/expression").key(TestServer.newKey()).send().status())
				.as("the key is the application's")
				.isEqualTo(201);
			assertThat(server.post("/aged/optional").send().status()).isEqualTo(200);
			server.post("/aged/optional").key(TestServer.newKey()).send().assertProblem(400, "key-invalid");
		}
	}

	@Test
	void aHeaderTellsTheTime() {
		try (TestServer server = start(SOURCES, "idempotency.http.key-age=header",
				"idempotency.http.first-sent-header=First-Sent")) {
			String key = TestServer.newKey();
			server.post("/aged").key(key).send().assertProblem(400, "key-invalid");
			send(server, key, "now").assertProblem(400, "key-invalid");
			send(server, key, date(Instant.now().minusSeconds(86_401))).assertProblem(412, "key-expired");
			send(server, key, date(Instant.now().plusSeconds(70))).assertProblem(412, "key-expired");
			assertThat(server.executions().of(key)).isZero();
			Answer first = send(server, key, date(Instant.now().minusSeconds(86_000)));
			assertThat(first.status()).isEqualTo(201);
			send(server, key, date(Instant.now().minusSeconds(86_401))).assertReplayOf(first);
			assertThat(server.post("/aged/optional").send().status()).isEqualTo(200);
		}
	}

	@Test
	void isOnlyObserved() {
		try (TestServer server = start(SOURCES, "idempotency.http.key-age=key", "idempotency.mode=observe")) {
			assertThat(server.post("/aged").key(keyOf(Instant.EPOCH)).send().status()).isEqualTo(201);
			assertThat(server.post("/aged").key(TestServer.newKey()).send().status()).isEqualTo(201);
		}
	}

	@Test
	void isOffWithProtection() {
		try (TestServer server = start(SOURCES, "idempotency.http.key-age=header", "idempotency.enabled=false")) {
			assertThat(server.post("/aged").key(TestServer.newKey()).send().status()).isEqualTo(201);
		}
	}

	private static Answer send(TestServer server, String key, String firstSent) {
		return server.post("/aged").key(key).header("First-Sent", firstSent).send();
	}

	private static String date(Instant time) {
		return DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC));
	}

}
