package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("once")
@Tag("slow")
class MariaDbTransactionMatrixTests extends TransactionMatrixContract {

	MariaDbTransactionMatrixTests() {
		super(DatabaseUnderTest.MARIADB);
	}

}
