package dev.idempotency.transactions;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class H2TransactionMatrixTests extends TransactionMatrixContract {

	H2TransactionMatrixTests() {
		super(DatabaseUnderTest.H2);
	}

}
