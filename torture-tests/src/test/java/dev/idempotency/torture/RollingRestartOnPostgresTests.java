package dev.idempotency.torture;

import java.util.List;

import dev.idempotency.servers.PostgresServer;

class RollingRestartOnPostgresTests extends RollingRestartContract {

	@Override
	List<String> store() {
		return Torture.onPostgres(PostgresServer.shared());
	}

}
