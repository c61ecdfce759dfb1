package dev.idempotency.method;

import java.util.UUID;

class H2MethodTransactionTests extends MethodTransactionContract {

	@Override
	String url() {
		return "jdbc:h2:mem:method-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

}
