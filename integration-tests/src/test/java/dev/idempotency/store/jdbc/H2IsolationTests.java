package dev.idempotency.store.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
@Tag("once")
class H2IsolationTests extends IsolationContract {

	@Override
	String url() {
		return "jdbc:h2:mem:isolation;DB_CLOSE_DELAY=-1";
	}

}
