package dev.idempotency.store.jdbc;

class H2MemoryContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return "jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1";
	}

}
