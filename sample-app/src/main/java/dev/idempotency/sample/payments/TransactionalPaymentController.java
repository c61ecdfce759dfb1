package dev.idempotency.sample.payments;

import java.net.URI;
import java.security.Principal;

import dev.idempotency.Idempotent;

import org.springframework.context.annotation.Profile;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Payments whose keys are in the same database: payment and response are committed
 * together, or not at all. The customer is charged once, even if the process is killed at
 * any point.
 */
@RestController
@Profile("!redis")
class TransactionalPaymentController {

	private final Payments payments;

	private final CardNetwork network;

	TransactionalPaymentController(Payments payments, CardNetwork network) {
		this.payments = payments;
		this.network = network;
	}

	@Idempotent(transactional = true)
	@PostMapping("/payments")
	ResponseEntity<Payment> pay(@RequestBody Order order, Principal customer) {
		Payment payment = this.payments.charge(customer.getName(), order, null);
		this.network.agree();
		return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
	}

	@Idempotent(transactional = true)
	@PostMapping("/payments/{id}/refund")
	Payment refund(@PathVariable String id, Principal customer) {
		return this.payments.refund(customer.getName(), id);
	}

}
