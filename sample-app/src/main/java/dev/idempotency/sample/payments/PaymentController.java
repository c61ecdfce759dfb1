package dev.idempotency.sample.payments;

import java.security.Principal;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.sample.payments.Payment.State;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handlers of payments that are the same for every store.
 */
@RestController
class PaymentController {

	private static final int SHOWN = 50;

	private final Payments payments;

	private final CardNetwork network;

	PaymentController(Payments payments, CardNetwork network) {
		this.payments = payments;
		this.network = network;
	}

	@GetMapping("/payments")
	List<Payment> payments(Principal customer) {
		return this.payments.latest(customer.getName(), SHOWN);
	}

	/**
	 * A duplicate that arrives while the first request is in progress waits, and gets the
	 * same response. After a crash, the state of the payment shows whether there is
	 * anything left to do.
	 */
	@Idempotent(onConflict = OnConflict.WAIT)
	@PostMapping("/payments/{id}/capture")
	Payment capture(@PathVariable String id, Principal customer, IdempotencyContext context) {
		Payment payment = this.payments.find(customer.getName(), id);
		if (payment.state() != State.CAPTURED || !context.mayHaveRun()) {
			payment = this.payments.capture(customer.getName(), id);
		}
		this.network.agree();
		return payment;
	}

}
