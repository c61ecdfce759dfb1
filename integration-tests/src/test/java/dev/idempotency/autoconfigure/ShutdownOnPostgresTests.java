package dev.idempotency.autoconfigure;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class ShutdownOnPostgresTests extends ShutdownContract {

	@Override
	List<String> store() {
		return List.of("--idempotency.store=jdbc", "--spring.datasource.url=" + PostgresServer.shared().newSchema(),
				"--idempotency.jdbc.initialize-schema=always", "--spring.datasource.hikari.maximum-pool-size=4");
	}

	/**
	 * Executors wait for their tasks when they are destroyed, for longer than a phase.
	 * Containers of listeners wait in their phase only.
	 */
	@Test
	void nobodyElseRunsWhatAnExecutorWaitsFor() {
		Set<Kind> kinds = EnumSet.complementOf(EnumSet.of(Kind.JMS));
		assertThat(runsWhenShutDown(kinds, "10ms")).isEqualTo(once(kinds));
	}

}
