package dev.idempotency.sample.webhooks;

import dev.idempotency.Idempotent;
import dev.idempotency.sample.ledger.Ledger;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handles events from other services, whose signatures {@link WebhookSignatureFilter} has
 * verified. Their ids are the keys.
 */
@RestController
class WebhookController {

	private static final int SHOWN = 60;

	private final Ledger ledger;

	WebhookController(Ledger ledger) {
		this.ledger = ledger;
	}

	/**
	 * An event as Stripe sends it: its id is in the body, and the rest of the body may
	 * differ from one delivery to the next.
	 */
	@Idempotent(key = "body('/id')", fingerprint = false, ttl = "7d")
	@PostMapping("/webhooks/stripe")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void stripe(@RequestBody JsonNode event) {
		this.ledger.write("stripe", "event " + shortened(event.path("type").asString("of no type")), null);
	}

	/**
	 * An event as GitHub sends it: its id is in a header.
	 */
	@Idempotent(key = "header('X-GitHub-Delivery')", ttl = "7d")
	@PostMapping("/webhooks/github")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void github(@RequestBody JsonNode event, @RequestHeader("X-GitHub-Event") String type) {
		this.ledger.write("github", "event " + shortened(type), null);
	}

	private static String shortened(String text) {
		return (text.length() <= SHOWN) ? text : text.substring(0, SHOWN);
	}

}
