package dev.idempotency.method;

import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class PostgresMethodTransactionTests extends MethodTransactionContract {

	@Override
	String url() {
		return PostgresServer.shared().newSchema();
	}

}
