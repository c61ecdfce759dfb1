package dev.idempotency.web;

/**
 * Two applications that share a database in memory.
 */
class TwoStacksTests extends TwoStacksContract {

	@Override
	String[] store() {
		return new String[] { TestServer.WITH_SHARED_DATABASE, "spring.datasource.url=jdbc:h2:mem:two-stacks",
				"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always" };
	}

}
