package dev.idempotency.messaging;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.servers.JavaProcess;
import dev.idempotency.servers.KafkaBroker;
import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A consumer that is killed when its work is done and its offset is not yet committed:
 * the next one gets the message again.
 */
@Tag("once")
class KafkaRedeliveryTests {

	@TempDir
	private Path folder;

	private final KafkaBroker broker = KafkaBroker.shared();

	private final String topic = this.broker.newTopic(1);

	private final String url = PostgresServer.shared().newSchema();

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url));

	@Test
	void withoutProtectionARedeliveryRepeatsTheEffect() {
		this.jdbc.execute("create table ledger (id serial primary key, message_key varchar(100))");
		this.broker.send(this.topic, "first", "second", "third");
		try (JavaProcess doomed = launch("doomed", "--messaging.hold=second")) {
			awaitOutput(doomed, "worked second");
			assertThat(effects()).containsExactly("first", "second");
			doomed.kill();
		}
		try (JavaProcess next = launch("next")) {
			awaitOutput(next, "worked third");
			assertThat(effects()).containsExactly("first", "second", "second", "third");
		}
	}

	private JavaProcess launch(String name, String... settings) {
		List<String> arguments = new ArrayList<>(List.of("--spring.main.web-application-type=none",
				"--spring.main.banner-mode=off", "--idempotency.store=memory", "--spring.datasource.url=" + this.url,
				"--spring.kafka.bootstrap-servers=" + this.broker.bootstrapServers(),
				"--spring.kafka.consumer.group-id=" + this.topic, "--spring.kafka.consumer.auto-offset-reset=earliest",
				// The dead are missed soon, so that the living get their messages
				"--spring.kafka.consumer.properties.session.timeout.ms=2000",
				"--spring.kafka.consumer.heartbeat-interval=500ms",
				// Each message has a commit of its own
				"--spring.kafka.listener.ack-mode=record", "--messaging.topic=" + this.topic));
		arguments.addAll(List.of(settings));
		return JavaProcess.launch(ListenerApplication.class, this.folder.resolve(name + ".log"), arguments);
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
