package dev.idempotency.sample.ledger;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows the lines of all users to every user, so that the page can show both at once. A
 * real service would not.
 */
@RestController
class LedgerController {

	private static final int SHOWN = 100;

	private final Ledger ledger;

	LedgerController(Ledger ledger) {
		this.ledger = ledger;
	}

	@GetMapping("/ledger")
	List<LedgerLine> ledger() {
		return this.ledger.latest(SHOWN);
	}

}
