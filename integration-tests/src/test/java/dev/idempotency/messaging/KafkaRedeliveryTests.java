package dev.idempotency.messaging;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import dev.idempotency.servers.JavaProcess;
import dev.idempotency.servers.KafkaBroker;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.fixtures.LongRun;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A consumer that is killed before the offset of its message is committed: the next one
 * gets the message again.
 */
@Tag("once")
@Tag("slow")
class KafkaRedeliveryTests {

	@TempDir
	private Path folder;

	private final KafkaBroker broker = KafkaBroker.shared();

	private final String topic = this.broker.newTopic(1);

	private final String url = PostgresServer.shared().newSchema();

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url));

	private int launches;

	KafkaRedeliveryTests() {
		this.jdbc.execute("create table ledger (id serial primary key, message_key varchar(100))");
	}

	@Test
	void withoutProtectionARedeliveryRepeatsTheEffect() {
		this.broker.send(this.topic, "first", "second", "third");
		try (JavaProcess doomed = launch("unprotected", "--messaging.hold=second")) {
			awaitOutput(doomed, "worked second");
			assertThat(effects()).containsExactly("first", "second");
			doomed.kill();
		}
		try (JavaProcess next = launch("unprotected")) {
			awaitOutput(next, "worked third");
			assertThat(effects()).containsExactly("first", "second", "second", "third");
		}
	}

	@Test
	void aRedeliveryOfWhatIsDoneHasNoEffect() {
		this.broker.send(this.topic, "first", "second", "third");
		try (JavaProcess doomed = launch("protected", "--messaging.hold=second")) {
			awaitOutput(doomed, "worked second");
			doomed.kill();
		}
		try (JavaProcess next = launch("protected")) {
			awaitOutput(next, "worked third");
			assertThat(next.output().lines()).as("the same message again").contains("worked second");
			assertThat(effects()).containsExactly("first", "second", "third");
		}
	}

	@Test
	void aRedeliveryOfWhatWasInterruptedWaitsForTheLeaseAndHasOneEffect() {
		this.broker.send(this.topic, "first", "second", "third");
		try (JavaProcess doomed = launch("transactional", "--messaging.hold-inside=second")) {
			awaitOutput(doomed, "wrote second");
			doomed.kill();
		}
		assertThat(effects()).containsExactly("first");
		try (JavaProcess next = launch("transactional")) {
			awaitOutput(next, "worked third");
			assertThat(next.output().lines().filter((line) -> line.startsWith("attempt")))
				.containsExactly("attempt 2 of second", "attempt 1 of third");
			assertThat(effects()).containsExactly("first", "second", "third");
		}
	}

	@Test
	void killsAtAnyMomentLeaveOneEffectOfEachMessage() {
		int kills = LongRun.choose(1, 15);
		String[] keys = IntStream.range(0, 150 * (kills + 1)).mapToObj((i) -> "message " + i).toArray(String[]::new);
		this.broker.send(this.topic, keys);
		Random random = new Random();
		for (int i = 0; i < kills; i++) {
			int enough = effects().size() + 1 + random.nextInt(140);
			try (JavaProcess doomed = launch("transactional")) {
				Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5)).until(() -> {
					doomed.requireRunning();
					return effects().size() >= enough;
				});
				doomed.kill();
			}
		}
		try (JavaProcess last = launch("transactional")) {
			awaitOutput(last, "worked " + keys[keys.length - 1]);
		}
		assertThat(effects()).as("in their order, each of them once").containsExactly(keys);
	}

	private JavaProcess launch(String profile, String... settings) {
		List<String> arguments = new ArrayList<>(List.of("--spring.main.web-application-type=none",
				"--spring.main.banner-mode=off", "--spring.profiles.active=" + profile,
				"--spring.application.name=listener", "--idempotency.store=jdbc",
				"--idempotency.jdbc.initialize-schema=always", "--idempotency.lease=3s",
				"--idempotency.wait-timeout=1m", "--spring.datasource.url=" + this.url,
				"--spring.kafka.bootstrap-servers=" + this.broker.bootstrapServers(),
				"--spring.kafka.consumer.group-id=" + this.topic, "--spring.kafka.consumer.auto-offset-reset=earliest",
				// The dead are missed soon, so that the living get their messages
				"--spring.kafka.consumer.properties.session.timeout.ms=1000",
				"--spring.kafka.consumer.heartbeat-interval=300ms",
				// Each message has a commit of its own
				"--spring.kafka.listener.ack-mode=record", "--messaging.topic=" + this.topic));
		arguments.addAll(List.of(settings));
		this.launches++;
		return JavaProcess.launch(ListenerApplication.class, this.folder.resolve(this.launches + ".log"), arguments);
	}

	private static void awaitOutput(JavaProcess application, String line) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
			application.requireRunning();
			assertThat(application.output().lines()).contains(line);
		});
	}

	private List<String> effects() {
		return this.jdbc.queryForList("select message_key from ledger order by id", String.class);
	}

}
