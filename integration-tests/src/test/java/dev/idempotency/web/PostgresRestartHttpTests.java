package dev.idempotency.web;

import java.time.Duration;
import java.util.List;

import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database that goes away and comes back under a running application.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresRestartHttpTests {

	@AutoClose
	private final PostgresServer database = PostgresServer.start();

	@Test
	void runsNothingWithoutTheDatabaseAndRecoversWithIt() {
		try (TestServer server = start("reject")) {
			String before = TestServer.newKey();
			Answer first = post(server, before);
			assertThat(first.status()).isEqualTo(200);
			this.database.stop();
			for (int i = 0; i < 5; i++) {
				Answer answer = post(server, TestServer.newKey());
				assertThat(answer.status()).isEqualTo(503);
				assertThat(answer.text()).contains("store-unavailable");
			}
			assertThat(server.executions().of("body")).isEqualTo(1);
			this.database.startAgain();
			Answer replay = awaitAnswer(server, before);
			replay.assertReplayOf(first);
			assertThat(post(server, TestServer.newKey()).status()).isEqualTo(200);
			assertThat(server.executions().of("body")).isEqualTo(2);
		}
	}

	@Test
	void runsUnprotectedWithoutTheDatabaseWhereThatIsWantedAndCountsIt() {
		try (TestServer server = start("proceed")) {
			this.database.stop();
			for (int i = 0; i < 3; i++) {
				assertThat(post(server, "the-same").status()).isEqualTo(200);
			}
			assertThat(server.executions().of("body")).isEqualTo(3);
			assertThat(server.bean(Events.class).of(IdempotencyEvent.RanUnprotected.class)).hasSize(3);
			this.database.startAgain();
			String key = TestServer.newKey();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> post(server, key).isReplay());
		}
	}

	private TestServer start(String onStoreFailure) {
		return TestServer.start(List.of(WebTestApplication.class, Events.class), TestServer.WITH_DATABASE,
				"spring.datasource.url=" + this.database.newSchema(), "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always", "idempotency.on-store-failure=" + onStoreFailure,
				"spring.datasource.hikari.connection-timeout=500", "spring.datasource.hikari.validation-timeout=250");
	}

	private static Answer post(TestServer server, String key) {
		return server.post("/kinds/body").key(key).json("{}").send();
	}

	private static Answer awaitAnswer(TestServer server, String key) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> post(server, key).status() == 200);
		return post(server, key);
	}

}
