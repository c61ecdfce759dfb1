package dev.idempotency.actuate;

import dev.idempotency.IdempotencyKey;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of an attempt. It exposes only the hash of the key,
 * since the key itself must not leave the application.
 */
public final class IdempotencyObservationContext extends Observation.Context {

	private final IdempotencyKey key;

	private final String operation;

	private volatile @Nullable String outcome;

	private volatile boolean enforced = true;

	private volatile @Nullable String completion;

	private volatile @Nullable Integer attempt;

	private volatile @Nullable TraceReference firstTrace;

	IdempotencyObservationContext(IdempotencyKey key, String operation) {
		this.key = key;
		this.operation = operation;
	}

	/**
	 * Returns the name of the operation.
	 * @return its name, or {@code other} if there are too many
	 */
	public String getOperation() {
		return this.operation;
	}

	/**
	 * Returns the hash of the key, which identifies the key without revealing it.
	 * @return the hash of the key
	 */
	public String getKeyHash() {
		return this.key.hash();
	}

	/**
	 * Returns the outcome of the attempt.
	 * @return the outcome as in the meters, or {@code null} while it is unknown
	 */
	public @Nullable String getOutcome() {
		return this.outcome;
	}

	/**
	 * Whether the decision was enforced.
	 * @return {@code false} in observe mode, where the operation ran nevertheless
	 */
	public boolean isEnforced() {
		return this.enforced;
	}

	/**
	 * Returns the outcome of the execution.
	 * @return the outcome as in the meters, or {@code null} if the execution has not
	 * ended, or there is none
	 */
	public @Nullable String getCompletion() {
		return this.completion;
	}

	/**
	 * Returns the number of the attempt that runs.
	 * @return the number, or {@code null} if none runs
	 */
	public @Nullable Integer getAttempt() {
		return this.attempt;
	}

	/**
	 * Returns the trace of the earlier attempt with the same key.
	 * @return the id of the trace, or {@code null} if there is none
	 */
	public @Nullable String getFirstTraceId() {
		TraceReference known = this.firstTrace;
		return (known != null) ? known.traceId() : null;
	}

	@Nullable TraceReference firstTrace() {
		return this.firstTrace;
	}

	void decided(String outcome, boolean enforced) {
		this.outcome = outcome;
		this.enforced = enforced;
	}

	void runs(int attempt) {
		this.attempt = attempt;
	}

	void follows(@Nullable TraceReference firstTrace) {
		this.firstTrace = firstTrace;
	}

	void completed(String completion) {
		this.completion = completion;
	}

}
