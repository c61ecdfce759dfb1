package dev.idempotency.web;

import dev.idempotency.servers.PostgresServer;

class PostgresSettlingErrorTests extends SettlingErrorContract {

	@Override
	String url() {
		return PostgresServer.shared().newSchema();
	}

}
