package dev.idempotency.store.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class HsqldbIsolationTests extends IsolationContract {

	@Override
	String url() {
		return "jdbc:hsqldb:mem:isolation;hsqldb.tx=mvcc";
	}

	@Override
	String greeting() {
		return "values 1";
	}

}
