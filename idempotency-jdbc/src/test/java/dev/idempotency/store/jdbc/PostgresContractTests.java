package dev.idempotency.store.jdbc;

import dev.idempotency.servers.PostgresServer;

class PostgresContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return PostgresServer.shared().url();
	}

}
