package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("once")
@Tag("slow")
class MariaDbStepTransactionTests extends StepTransactionContract {

	MariaDbStepTransactionTests() {
		super(DatabaseUnderTest.MARIADB);
	}

}
