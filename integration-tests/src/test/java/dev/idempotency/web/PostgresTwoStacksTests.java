package dev.idempotency.web;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;

/**
 * Two applications that share a PostgreSQL.
 */
@Tag("once")
class PostgresTwoStacksTests extends TwoStacksContract {

	@AutoClose
	private final PostgresServer database = PostgresServer.start();

	@Override
	String[] store() {
		return new String[] { TestServer.WITH_SHARED_DATABASE, "spring.datasource.url=" + this.database.newSchema(),
				"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always" };
	}

}
