package dev.idempotency.store.jdbc;

class HsqldbContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return "jdbc:hsqldb:mem:contract";
	}

}
