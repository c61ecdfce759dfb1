package dev.idempotency.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;

/**
 * Executions on one instance that take longer than several leases, and retries of their
 * keys on another one. Nothing may run a second time.
 */
public final class LongExecutions implements AutoCloseable {

	private final OperationPolicy policy;

	private final IdempotencyEngine engine;

	private final IdempotencyEngine other;

	private final List<Execution> executions = new ArrayList<>();

	/**
	 * Create executions.
	 * @param store the store of the instance that executes
	 * @param other the same store on the instance that retries
	 * @param lease the lease
	 */
	public LongExecutions(IdempotencyStore store, IdempotencyStore other, Duration lease) {
		this.policy = OperationPolicy.of(Duration.ofHours(1), lease);
		this.engine = new IdempotencyEngine(store, EngineSettings.of("shop"), new MonotonicClock(), List.of());
		this.other = new IdempotencyEngine(other, EngineSettings.of("shop"), new MonotonicClock(), List.of());
	}

	public IdempotencyEngine engine() {
		return this.engine;
	}

	/**
	 * Begins an execution of each key.
	 */
	public void begin(List<IdempotencyKey> keys) {
		keys.forEach((key) -> this.executions.add(proceed(this.engine, key)));
	}

	private Execution proceed(IdempotencyEngine engine, IdempotencyKey key) {
		return ((Decision.Proceed) engine.begin(new Attempt(key, Fingerprint.none(), this.policy))).execution();
	}

	/**
	 * Retries keys for some leases.
	 * @return the keys that ran a second time
	 */
	public Set<IdempotencyKey> ranAgain(List<IdempotencyKey> keys, int leases) {
		MonotonicClock clock = new MonotonicClock();
		long end = clock.millis() + this.policy.lease().multipliedBy(leases).toMillis();
		Set<IdempotencyKey> again = new HashSet<>();
		while (clock.millis() < end) {
			for (IdempotencyKey key : keys) {
				if (this.other
					.begin(new Attempt(key, Fingerprint.none(), this.policy)) instanceof Decision.Proceed proceed) {
					again.add(key);
					proceed.execution().letLeaseRunOut();
				}
			}
		}
		return again;
	}

	@Override
	public void close() {
		this.executions.forEach(Execution::letLeaseRunOut);
		this.engine.close();
		this.other.close();
	}

}
