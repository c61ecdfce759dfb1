package dev.idempotency.transactions;

class H2StepTransactionTests extends StepTransactionContract {

	H2StepTransactionTests() {
		super(DatabaseUnderTest.H2);
	}

}
