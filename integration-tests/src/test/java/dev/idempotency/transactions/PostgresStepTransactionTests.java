package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class PostgresStepTransactionTests extends StepTransactionContract {

	PostgresStepTransactionTests() {
		super(DatabaseUnderTest.POSTGRESQL);
	}

}
