package dev.idempotency.web;

/**
 * With a session of JPA that is open until the answer is rendered.
 */
class OpenInViewDetourTests extends DetourTransactionContract {

	OpenInViewDetourTests() {
		super(false, true);
	}

}
