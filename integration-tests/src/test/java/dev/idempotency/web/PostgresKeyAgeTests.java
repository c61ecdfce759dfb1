package dev.idempotency.web;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.Tag;

/**
 * Keys that tell their age, with a PostgreSQL.
 */
@Tag("once")
class PostgresKeyAgeTests extends KeyAgeContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, Stream
			.concat(Stream.of(TestServer.WITH_DATABASE, "spring.datasource.url=" + PostgresServer.shared().newSchema(),
					"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always"), Stream.of(properties))
			.toArray(String[]::new));
	}

}
