package dev.idempotency.sample.payments;

import java.net.SocketTimeoutException;
import java.security.Principal;
import java.util.HexFormat;
import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Payments by a bank that may move the money and not respond in time. After such an
 * attempt the outcome is unknown, and the next attempt knows that.
 */
@RestController
class BankPaymentController {

	private final Payments payments;

	BankPaymentController(Payments payments) {
		this.payments = payments;
	}

	/**
	 * The bank can be asked for a payment: a retry asks before it charges.
	 */
	@Idempotent
	@PostMapping("/bank-payments")
	Payment pay(@RequestBody Order order, Principal customer, IdempotencyContext context,
			@RequestHeader(name = "Demo-Bank-Timeout", defaultValue = "false") boolean timeout) {
		String reference = HexFormat.of().formatHex(context.key().digest());
		Optional<Payment> made = context.mayHaveRun() ? this.payments.findByReference(reference) : Optional.empty();
		return made.orElseGet(() -> charge(customer, order, reference, timeout));
	}

	/**
	 * The bank cannot be asked: an operator finds out, and settles the key.
	 */
	@Idempotent(onCrash = OnCrash.REFUSE)
	@PostMapping("/silent-bank-payments")
	Payment payBlindly(@RequestBody Order order, Principal customer,
			@RequestHeader(name = "Demo-Bank-Timeout", defaultValue = "false") boolean timeout) {
		return charge(customer, order, null, timeout);
	}

	private Payment charge(Principal customer, Order order, @Nullable String reference, boolean timeout) {
		Payment payment = this.payments.charge(customer.getName(), order, reference);
		if (timeout) {
			throw new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT, "The bank did not respond in time",
					new SocketTimeoutException("Read timed out"));
		}
		return payment;
	}

}
