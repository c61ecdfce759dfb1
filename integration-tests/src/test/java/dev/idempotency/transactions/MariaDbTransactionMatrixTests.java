package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MariaDbTransactionMatrixTests extends TransactionMatrixContract {

	MariaDbTransactionMatrixTests() {
		super(DatabaseUnderTest.MARIADB);
	}

}
