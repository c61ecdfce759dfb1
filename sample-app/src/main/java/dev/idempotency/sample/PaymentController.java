package dev.idempotency.sample;

import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private final Ledger ledger;

	PaymentController(Ledger ledger) {
		this.ledger = ledger;
	}

	/**
	 * A duplicate that comes while the first one runs waits for its answer.
	 */
	@Idempotent(onConflict = OnConflict.WAIT)
	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	String pay(@RequestBody String order) {
		return this.ledger.charge(order);
	}

	@GetMapping("/payments")
	List<String> payments() {
		return this.ledger.charges();
	}

}
