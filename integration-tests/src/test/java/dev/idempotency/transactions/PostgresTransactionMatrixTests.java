package dev.idempotency.transactions;

class PostgresTransactionMatrixTests extends TransactionMatrixContract {

	PostgresTransactionMatrixTests() {
		super(DatabaseUnderTest.POSTGRESQL);
	}

}
