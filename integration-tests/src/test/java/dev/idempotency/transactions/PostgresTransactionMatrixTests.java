package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("once")
@Tag("slow")
class PostgresTransactionMatrixTests extends TransactionMatrixContract {

	PostgresTransactionMatrixTests() {
		super(DatabaseUnderTest.POSTGRESQL);
	}

}
