package dev.idempotency.web;

import org.junit.jupiter.api.Tag;

/**
 * With a session of JPA that is open until the answer is rendered.
 */
@Tag("slow")
class OpenInViewDetourTests extends DetourTransactionContract {

	OpenInViewDetourTests() {
		super(false, true);
	}

}
