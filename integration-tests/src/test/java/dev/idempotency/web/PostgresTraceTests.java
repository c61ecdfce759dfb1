package dev.idempotency.web;

import java.util.List;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;

/**
 * Traces of calls that are remembered in PostgreSQL.
 */
@Tag("once")
class PostgresTraceTests extends TraceContract {

	@AutoClose
	private final PostgresServer database = PostgresServer.start();

	@Override
	TestServer start(Class<?> application, String... properties) {
		return TestServer.start(List.of(application),
				TestServer.with(properties, Bystanders.ALL, TestServer.WITH_DATABASE,
						"spring.datasource.url=" + this.database.newSchema(), "idempotency.store=jdbc",
						"idempotency.jdbc.initialize-schema=always"));
	}

}
