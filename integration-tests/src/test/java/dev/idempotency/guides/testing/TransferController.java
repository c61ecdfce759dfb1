package dev.idempotency.guides.testing;

import dev.idempotency.DryRun;
import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handlers whose work is in the database.
 */
@RestController
class TransferController {

	private final Transfers transfers;

	TransferController(Transfers transfers) {
		this.transfers = transfers;
	}

	@PostMapping("/transfers")
	@ResponseStatus(HttpStatus.CREATED)
	@Idempotent(transactional = true, dryRun = DryRun.ROLLBACK)
	String transfer(@RequestBody Payment payment) {
		this.transfers.book(payment.amount());
		return "booked";
	}

	@PostMapping("/bookings")
	@Idempotent
	String book(@RequestBody Payment payment) {
		this.transfers.book(payment.amount());
		return "booked";
	}

}
