package dev.idempotency.store.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class HsqldbContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return "jdbc:hsqldb:mem:contract;hsqldb.tx=mvcc";
	}

}
