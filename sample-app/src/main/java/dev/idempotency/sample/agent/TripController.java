package dev.idempotency.sample.agent;

import java.security.Principal;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.Steps;
import dev.idempotency.sample.ledger.Ledger;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * A task of an agent: pay, book, send a mail. A completed step stays completed when a
 * later step fails or the process crashes; the retry continues from there.
 */
@RestController
class TripController {

	/**
	 * Names the step that fails, so that there is something to retry. Headers are not
	 * part of the fingerprint.
	 */
	static final String FAILING_STEP = "Demo-Failing-Step";

	private final Ledger ledger;

	TripController(Ledger ledger) {
		this.ledger = ledger;
	}

	@Idempotent
	@PostMapping("/agent/trips")
	@ResponseStatus(HttpStatus.CREATED)
	Booking arrange(@RequestBody Trip trip, Principal customer, IdempotencyContext context,
			@RequestHeader(name = FAILING_STEP, defaultValue = "") String failing) {
		Steps steps = context.steps();
		String account = customer.getName();
		steps.run("charge", () -> {
			refuseIf(failing, "charge");
			this.ledger.write(account, "agent paid for " + trip.destination(), trip.amount());
		});
		String seat = steps.run("book", String.class, () -> {
			refuseIf(failing, "book");
			this.ledger.write(account, "agent booked a seat to " + trip.destination(), null);
			return "12A";
		});
		steps.run("mail", () -> {
			refuseIf(failing, "mail");
			this.ledger.write(account, "agent sent the ticket by mail", null);
		});
		return new Booking(trip.destination(), seat, context.attempt());
	}

	private static void refuseIf(String failing, String step) {
		if (failing.equals(step)) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "The step '" + step + "' failed");
		}
	}

	/**
	 * The result for the user of the agent.
	 *
	 * @param destination where to
	 * @param seat which one
	 * @param attempt the number of the attempt that finished
	 */
	record Booking(String destination, String seat, int attempt) {
	}

}
