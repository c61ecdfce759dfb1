package dev.idempotency.web;

class JettyOpenInViewDetourTests extends DetourTransactionContract {

	JettyOpenInViewDetourTests() {
		super(true, true);
	}

}
