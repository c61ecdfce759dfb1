package dev.idempotency.web;

class DetourTransactionTests extends DetourTransactionContract {

	DetourTransactionTests() {
		super(false, false);
	}

}
