package dev.idempotency.store.jdbc;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("once")
class PostgresIsolationTests extends IsolationContract {

	@Override
	String url() {
		return PostgresServer.shared().url();
	}

}
