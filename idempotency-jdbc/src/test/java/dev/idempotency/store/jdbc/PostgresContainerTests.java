package dev.idempotency.store.jdbc;

import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;

@Testcontainers(disabledWithoutDocker = true)
class PostgresContainerTests extends JdbcStoreContract {

	@Container
	private static final PostgreSQLContainer SERVER = new PostgreSQLContainer("postgres:18-alpine");

	@Override
	String url() {
		return "%s%suser=%s&password=%s".formatted(SERVER.getJdbcUrl(), SERVER.getJdbcUrl().contains("?") ? "&" : "?",
				SERVER.getUsername(), SERVER.getPassword());
	}

}
