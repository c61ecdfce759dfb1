package dev.idempotency.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the engine adds to the store in memory.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class EngineBenchmark {

	private static final OperationPolicy POLICY = OperationPolicy.of(Duration.ofHours(24), Duration.ofSeconds(30));

	private static final IdempotencyKey DONE = IdempotencyKey.of("POST /payments", "done");

	private final AtomicLong sequence = new AtomicLong();

	private final byte[] payload = new byte[200];

	private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(100_000, 64 << 20),
			new MonotonicClock(), (key) -> {
			});

	private final IdempotencyEngine engine = new IdempotencyEngine(this.store, EngineSettings.of("benchmark"),
			new MonotonicClock(), List.of());

	/**
	 * Complete the key that is replayed.
	 */
	@Setup
	public void complete() {
		run(DONE);
	}

	/**
	 * Stop renewing leases.
	 */
	@TearDown
	public void close() {
		this.engine.close();
	}

	/**
	 * A first request: claim, hold the lease, complete. Its record is removed again, so
	 * that the store keeps its size.
	 */
	@Benchmark
	public boolean firstRequest() {
		IdempotencyKey key = IdempotencyKey.of("POST /payments", "new-" + this.sequence.incrementAndGet());
		run(key);
		return this.store.forget(key.within("benchmark"));
	}

	/**
	 * A retry.
	 */
	@Benchmark
	public Decision retry() {
		return this.engine.begin(new Attempt(DONE, Fingerprint.none(), POLICY));
	}

	private void run(IdempotencyKey key) {
		Decision decision = this.engine.begin(new Attempt(key, Fingerprint.none(), POLICY));
		try (Execution execution = ((Decision.Proceed) decision).execution()) {
			execution.complete(this.payload);
		}
	}

}
