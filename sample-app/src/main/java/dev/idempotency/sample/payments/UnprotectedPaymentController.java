package dev.idempotency.sample.payments;

import java.net.URI;
import java.security.Principal;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The same payment without any protection, on purpose: for comparison, and for the report
 * at startup to find.
 */
@RestController
class UnprotectedPaymentController {

	private final Payments payments;

	private final CardNetwork network;

	UnprotectedPaymentController(Payments payments, CardNetwork network) {
		this.payments = payments;
		this.network = network;
	}

	@PostMapping("/unprotected/payments")
	ResponseEntity<Payment> pay(@RequestBody Order order, Principal customer) {
		Payment payment = this.payments.charge(customer.getName(), order, null);
		this.network.agree();
		return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
	}

}
