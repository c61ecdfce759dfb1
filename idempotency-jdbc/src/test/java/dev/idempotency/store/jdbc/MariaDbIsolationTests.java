package dev.idempotency.store.jdbc;

import dev.idempotency.servers.MariaDbServer;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class MariaDbIsolationTests extends IsolationContract {

	@Override
	String url() {
		return MariaDbServer.shared().url();
	}

}
