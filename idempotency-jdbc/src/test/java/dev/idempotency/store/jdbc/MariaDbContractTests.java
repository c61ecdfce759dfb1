package dev.idempotency.store.jdbc;

import dev.idempotency.servers.MariaDbServer;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class MariaDbContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return MariaDbServer.shared().url();
	}

}
