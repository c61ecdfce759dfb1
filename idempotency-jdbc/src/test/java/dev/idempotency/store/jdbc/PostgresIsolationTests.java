package dev.idempotency.store.jdbc;

import dev.idempotency.servers.PostgresServer;

class PostgresIsolationTests extends IsolationContract {

	@Override
	String url() {
		return PostgresServer.shared().url();
	}

}
