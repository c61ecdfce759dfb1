package dev.idempotency.sample.payments;

import java.net.URI;
import java.security.Principal;
import java.util.HexFormat;
import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;

import org.springframework.context.annotation.Profile;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Payments whose keys are in Redis. A process may crash after it has charged and before
 * it has completed the key. The next attempt knows that, and checks before it charges.
 */
@RestController
@Profile("redis")
class CheckingPaymentController {

	private final Payments payments;

	private final CardNetwork network;

	CheckingPaymentController(Payments payments, CardNetwork network) {
		this.payments = payments;
		this.network = network;
	}

	@Idempotent
	@PostMapping("/payments")
	ResponseEntity<Payment> pay(@RequestBody Order order, Principal customer, IdempotencyContext context) {
		String reference = HexFormat.of().formatHex(context.key().digest());
		Optional<Payment> made = context.mayHaveRun() ? this.payments.findByReference(reference) : Optional.empty();
		Payment payment = made.orElseGet(() -> this.payments.charge(customer.getName(), order, reference));
		this.network.agree();
		return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
	}

	/**
	 * After a crash it is unknown whether the money went back. An operator finds out, and
	 * settles the key.
	 */
	@Idempotent(onCrash = OnCrash.REFUSE)
	@PostMapping("/payments/{id}/refund")
	Payment refund(@PathVariable String id, Principal customer) {
		return this.payments.refund(customer.getName(), id);
	}

}
