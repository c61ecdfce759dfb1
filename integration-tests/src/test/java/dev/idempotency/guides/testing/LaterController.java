package dev.idempotency.guides.testing;

import java.util.concurrent.Callable;

import dev.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A handler that answers on another thread.
 */
@RestController
class LaterController {

	private final CardNetwork network;

	LaterController(CardNetwork network) {
		this.network = network;
	}

	@PostMapping("/later")
	@Idempotent
	Callable<String> pay(@RequestBody Payment payment) {
		return () -> this.network.charge(payment.amount());
	}

}
