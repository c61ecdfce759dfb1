package dev.idempotency.webflux;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.Settlement.End;
import dev.idempotency.reactive.ReactiveEngine;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Settles the key of a handler, once. The key is completed with the response, completed
 * without it, or released. If another attempt has taken the key over, the publishers emit
 * the decision for this one.
 */
final class ReactiveSettlement {

	private final Settlement settlement;

	private final ReactiveEngine engine;

	/**
	 * Whether the key is settled, or is being settled.
	 */
	private final AtomicBoolean settled = new AtomicBoolean();

	ReactiveSettlement(ProtectedOperation operation, Execution execution, ReactiveEngine engine) {
		this.settlement = new Settlement(operation, execution, HandlerTransaction.NONE);
		this.engine = engine;
	}

	/**
	 * Nothing is to be stored.
	 */
	void release() {
		this.settlement.doNotStore();
	}

	/**
	 * The handler has done its work, but its result cannot be written: it must not run
	 * again.
	 */
	void answerIsUnwritable() {
		this.settlement.resultIsUnwritable();
	}

	/**
	 * Whatever response is written is not the handler's. It is stored only if failures
	 * are.
	 */
	void failedUnhandled() {
		if (!this.settlement.countsFailures() && !this.settlement.isUnwritable()) {
			this.settlement.doNotStore();
		}
	}

	/**
	 * Settles the key of a response.
	 * @param status its status
	 * @param stored whether such a response is stored
	 * @param answer the response, or {@code null} if it is not recorded
	 */
	Mono<Optional<Decision.Answer>> settle(int status, boolean stored, @Nullable HttpAnswer answer) {
		return once(() -> this.settlement.settle(End.RESPONDED, status, stored, answer));
	}

	/**
	 * Settles the key of a response that has failed.
	 */
	Mono<Optional<Decision.Answer>> settleFailure() {
		return once(this.settlement::settleFailure);
	}

	/**
	 * Completes the key without the response.
	 */
	Mono<Optional<Decision.Answer>> keepFact() {
		return once(this.settlement::keepFact);
	}

	/**
	 * Stops renewing the lease. The key can be taken over when the lease expires.
	 */
	void letLeaseRunOut() {
		this.settlement.letLeaseRunOut();
	}

	private Mono<Optional<Decision.Answer>> once(Ending ending) {
		return Mono.defer(() -> {
			if (!this.settled.compareAndSet(false, true)) {
				return Mono.just(Optional.empty());
			}
			return this.engine.<Optional<Decision.Answer>>end(() -> {
				Completion completion = ending.end();
				return Optional.ofNullable((completion != null) ? completion.answer() : null);
			});
		});
	}

	/**
	 * Completes or releases the key.
	 */
	@FunctionalInterface
	private interface Ending {

		@Nullable Completion end();

	}

}
