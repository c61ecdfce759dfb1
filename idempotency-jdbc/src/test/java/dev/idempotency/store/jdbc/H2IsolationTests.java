package dev.idempotency.store.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class H2IsolationTests extends IsolationContract {

	@Override
	String url() {
		return "jdbc:h2:mem:isolation;DB_CLOSE_DELAY=-1";
	}

}
