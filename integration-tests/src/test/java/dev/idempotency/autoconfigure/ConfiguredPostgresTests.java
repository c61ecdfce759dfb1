package dev.idempotency.autoconfigure;

import dev.idempotency.servers.PostgresServer;

class ConfiguredPostgresTests extends ConfiguredJdbcContract {

	private final String url = PostgresServer.shared().newSchema();

	@Override
	String url() {
		return this.url;
	}

}
