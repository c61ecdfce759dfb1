package dev.idempotency.web;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class JettyOpenInViewDetourTests extends DetourTransactionContract {

	JettyOpenInViewDetourTests() {
		super(true, true);
	}

}
