package dev.idempotency.transactions;

class H2TransactionMatrixTests extends TransactionMatrixContract {

	H2TransactionMatrixTests() {
		super(DatabaseUnderTest.H2);
	}

}
