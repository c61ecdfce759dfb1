package dev.idempotency.store.jdbc;

import dev.idempotency.servers.MariaDbServer;

class MariaDbContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return MariaDbServer.shared().url();
	}

}
