package dev.idempotency.store.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("once")
class H2MemoryContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return "jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1";
	}

}
