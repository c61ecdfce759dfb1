package dev.idempotency.transactions;

class MariaDbTransactionMatrixTests extends TransactionMatrixContract {

	MariaDbTransactionMatrixTests() {
		super(DatabaseUnderTest.MARIADB);
	}

}
