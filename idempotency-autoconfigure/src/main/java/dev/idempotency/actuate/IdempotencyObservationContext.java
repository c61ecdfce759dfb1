package dev.idempotency.actuate;

import dev.idempotency.IdempotencyKey;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an attempt while it is observed. Of its key, only the hash is to leave
 * the application.
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
	 * The operation.
	 * @return its name, or {@code other} if there are too many
	 */
	public String getOperation() {
		return this.operation;
	}

	/**
	 * What names the key without telling it.
	 * @return the hash of the key
	 */
	public String getKeyHash() {
		return this.key.hash();
	}

	/**
	 * What was decided.
	 * @return the outcome as meters have it, or {@code null} while it is unknown
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
	 * What became of the execution.
	 * @return the outcome as meters have it, or {@code null} if it has not come to an
	 * end, or there is none
	 */
	public @Nullable String getCompletion() {
		return this.completion;
	}

	/**
	 * Which attempt runs.
	 * @return its number, or {@code null} if none does
	 */
	public @Nullable Integer getAttempt() {
		return this.attempt;
	}

	/**
	 * Where to look for what was done under the same key before.
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
