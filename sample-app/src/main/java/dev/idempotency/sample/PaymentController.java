package dev.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.StoredResult;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * Asks the engine by hand what becomes of a request.
 */
@RestController
class PaymentController {

	private final IdempotencyEngine engine;

	private final OperationPolicy policy;

	private final Ledger ledger;

	PaymentController(IdempotencyEngine engine, OperationPolicy policy, IdempotencyProperties properties,
			Ledger ledger) {
		this.engine = engine;
		// A duplicate that comes while the first one runs waits for its answer
		this.policy = policy.withPatience(properties.waitTimeout());
		this.ledger = ledger;
	}

	@PostMapping("/payments")
	ResponseEntity<String> pay(@RequestHeader("Idempotency-Key") String key, @RequestBody String order) {
		Fingerprint fingerprint = Fingerprint.sha256(order.getBytes(StandardCharsets.UTF_8));
		Decision decision = this.engine
			.begin(new Attempt(IdempotencyKey.of("POST /payments", key), fingerprint, this.policy));
		return (decision instanceof Decision.Proceed proceed) ? charge(order, proceed.execution()) : answer(decision);
	}

	private ResponseEntity<String> charge(String order, Execution execution) {
		// Closed without a result when charging fails, so that a retry runs again
		try (execution) {
			String receipt = this.ledger.charge(order);
			Completion completion = execution.complete(receipt.getBytes(StandardCharsets.UTF_8));
			return (completion instanceof Completion.Superseded superseded) ? answer(superseded.decision())
					: ResponseEntity.status(HttpStatus.CREATED).body(receipt);
		}
	}

	private static ResponseEntity<String> answer(Decision decision) {
		if (decision instanceof Decision.Replay replay) {
			StoredResult result = replay.result();
			return ResponseEntity.status(HttpStatus.CREATED)
				.header("Idempotent-Replayed", "true")
				.body(StandardCharsets.UTF_8.decode(result.payload()).toString());
		}
		boolean reused = decision instanceof Decision.KeyReused;
		return reused
				? ResponseEntity.status(HttpStatus.UNPROCESSABLE_CONTENT).body("This key was used for another order.")
				: ResponseEntity.status(HttpStatus.CONFLICT).body("This order is being paid. Try again later.");
	}

	@GetMapping("/payments")
	List<String> payments() {
		return this.ledger.charges();
	}

}
