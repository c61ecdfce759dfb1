package dev.idempotency.torture;

import java.util.List;

import dev.idempotency.servers.PostgresServer;

class TwoInstancesOnPostgresTests extends TwoInstancesContract {

	@Override
	List<String> store() {
		return Torture.onPostgres(PostgresServer.shared());
	}

}
