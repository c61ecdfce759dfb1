package dev.idempotency.sample;

import java.util.List;

import dev.idempotency.servers.PostgresServer;

/**
 * The page with keys and payments in PostgreSQL.
 */
class SamplePageOnPostgresTests extends SamplePageContract {

	@Override
	List<String> startServer() {
		return List.of("--spring.profiles.active=postgres",
				"--spring.datasource.url=" + PostgresServer.shared().newSchema(),
				"--spring.datasource.username=postgres");
	}

}
