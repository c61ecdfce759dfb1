package dev.idempotency.method;

import dev.idempotency.servers.PostgresServer;

class PostgresMethodTransactionTests extends MethodTransactionContract {

	@Override
	String url() {
		return PostgresServer.shared().newSchema();
	}

}
