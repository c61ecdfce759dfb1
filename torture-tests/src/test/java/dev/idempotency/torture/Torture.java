package dev.idempotency.torture;

import java.util.List;

import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.RedisServerProcess;

/**
 * Settings of applications under torture.
 */
final class Torture {

	private Torture() {
	}

	/**
	 * Settings for a schema of its own on a PostgreSQL.
	 */
	static List<String> onPostgres(PostgresServer server) {
		return onPostgresAt(server.newSchema());
	}

	static List<String> onRedis(RedisServerProcess server) {
		return List.of("--spring.data.redis.port=" + server.port(), "--spring.data.redis.timeout=5s",
				"--idempotency.store=redis", "--idempotency.lease=2s", "--spring.datasource.url=jdbc:h2:mem:unused");
	}

	static List<String> onPostgresAt(String url) {
		return List.of("--spring.datasource.url=" + url, "--idempotency.store=jdbc",
				"--idempotency.jdbc.initialize-schema=always", "--spring.datasource.hikari.maximum-pool-size=12",
				"--idempotency.lease=2s");
	}

}
