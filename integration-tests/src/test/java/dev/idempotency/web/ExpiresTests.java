package dev.idempotency.web;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses that tell until when they are remembered.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExpiresTests {

	private static final String HEADER = "Idempotency-Expires";

	@AutoClose
	private final TestServer server = start(List.of(WebTestApplication.class, Endpoints.class),
			"idempotency.http.expires=true", "idempotency.ttl=48h");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Test
	void aResponseAndItsReplayTell() {
		String key = TestServer.newKey();
		Instant before = Instant.now();
		Answer first = this.server.post("/remembered").key(key).send();
		assertThat(first.header(HEADER)).matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
		Instant told = DateTimeFormatter.RFC_1123_DATE_TIME.parse(first.header(HEADER), Instant::from);
		assertThat(told).isAfter(before.plus(Duration.ofDays(2)).minusSeconds(1));
		assertThat(told).as("never longer than the record is kept")
			.isBeforeOrEqualTo(this.server.bean(IdempotencyEngine.class)
				.find(IdempotencyKey.of("POST /remembered", key))
				.orElseThrow()
				.status()
				.expires());
		this.server.post("/remembered").key(key).send().assertExactReplayOf(first);
	}

	@Test
	void aResponseThatIsNotStoredDoesNotTell() {
		String key = TestServer.newKey();
		Answer failed = this.server.post("/released").key(key).send();
		assertThat(failed.status()).isEqualTo(503);
		assertThat(failed.headers()).doesNotContainKey(HEADER);
		Answer refused = this.server.post("/remembered").send();
		assertThat(refused.status()).isEqualTo(400);
		assertThat(refused.headers()).doesNotContainKey(HEADER);
	}

	@Test
	void aStreamTellsWithItsReplay() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/streaming").key(key).send();
		assertThat(first.headers()).doesNotContainKey(HEADER);
		Answer replay = this.server.post("/kinds/streaming").key(key).send();
		replay.assertReplayOf(first);
		assertThat(replay.headers()).containsKey(HEADER);
	}

	@RestController
	@Idempotent
	static class Endpoints {

		@PostMapping("/remembered")
		ResponseEntity<String> remembered() {
			return ResponseEntity.status(201).body("done");
		}

		@PostMapping("/released")
		ResponseEntity<String> released() {
			return ResponseEntity.status(503).build();
		}

	}

}
