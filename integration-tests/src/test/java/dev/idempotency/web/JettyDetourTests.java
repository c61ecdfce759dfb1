package dev.idempotency.web;

class JettyDetourTests extends DetourTransactionContract {

	JettyDetourTests() {
		super(true, false);
	}

}
