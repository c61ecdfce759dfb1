package dev.idempotency.webflux;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.StoredAnswers;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.reactive.ReactiveEngine;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Settles the key of a handler, once. The key is completed with the response, completed
 * without it, or released. If another attempt has taken the key over, the publishers emit
 * the decision for this one.
 */
final class ReactiveSettlement {

	private final ProtectedOperation operation;

	private final Execution execution;

	private final ReactiveEngine engine;

	private volatile boolean released;

	private volatile boolean unwritable;

	/**
	 * Whether the key is settled, or its execution is about to settle it.
	 */
	private final AtomicBoolean settled = new AtomicBoolean();

	ReactiveSettlement(ProtectedOperation operation, Execution execution, ReactiveEngine engine) {
		this.operation = operation;
		this.execution = execution;
		this.engine = engine;
	}

	/**
	 * Nothing is to be stored.
	 */
	void release() {
		this.released = true;
	}

	/**
	 * The handler has done its work, but its result cannot be written: it must not run
	 * again.
	 */
	void answerIsUnwritable() {
		this.unwritable = true;
	}

	/**
	 * Whatever response is written is not the handler's. It is stored only if failures
	 * are.
	 */
	void failedUnhandled() {
		if (!countsFailures() && !this.unwritable) {
			this.released = true;
		}
	}

	/**
	 * Settles the key of a response.
	 * @param stored whether such a response is stored
	 * @param answer the response, or {@code null} if it is not recorded
	 */
	Mono<Optional<Decision.Answer>> settle(boolean stored, @Nullable HttpAnswer answer) {
		if (!stored || this.released) {
			return mustNotRunAgain() ? keepFact() : giveBack();
		}
		return keep(answer);
	}

	/**
	 * Settles the key of a response that has failed.
	 */
	Mono<Optional<Decision.Answer>> settleFailure() {
		return (countsFailures() || mustNotRunAgain()) ? keepFact() : giveBack();
	}

	/**
	 * Completes the key without the response.
	 */
	Mono<Optional<Decision.Answer>> keepFact() {
		return keep(null);
	}

	/**
	 * Stops renewing the lease. The key can be taken over when the lease expires.
	 */
	void letLeaseRunOut() {
		this.execution.letLeaseRunOut();
	}

	private boolean countsFailures() {
		return this.operation.store() == StoredAnswers.ALL;
	}

	private boolean mustNotRunAgain() {
		return this.unwritable && !this.released;
	}

	private Mono<Optional<Decision.Answer>> keep(@Nullable HttpAnswer answer) {
		return once(() -> (answer != null) ? answer.encode().complete(this.execution, null)
				: this.execution.complete(null));
	}

	private Mono<Optional<Decision.Answer>> giveBack() {
		return once(() -> {
			this.execution.close();
			return null;
		});
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
