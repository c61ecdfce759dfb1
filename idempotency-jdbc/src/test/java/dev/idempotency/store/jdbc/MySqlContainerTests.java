package dev.idempotency.store.jdbc;

import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mysql.MySQLContainer;

@Testcontainers(disabledWithoutDocker = true)
class MySqlContainerTests extends JdbcStoreContract {

	@Container
	private static final MySQLContainer SERVER = new MySQLContainer("mysql:9");

	@Override
	String url() {
		return "%s%suser=%s&password=%s".formatted(SERVER.getJdbcUrl(), SERVER.getJdbcUrl().contains("?") ? "&" : "?",
				SERVER.getUsername(), SERVER.getPassword());
	}

}
