package dev.idempotency.benchmarks;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The verbs of the store in memory, among few and among many results. Run it with
 * {@code -prof gc} to see the bytes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx3g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class InMemoryStoreBenchmark {

	private static final Duration TTL = Duration.ofHours(24);

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofSeconds(30), TTL, OnCrash.RETRY, OnReplay.READ);

	private static final int RECENT = 1000;

	private static final StoredResult RESULT = StoredResult.of(new byte[200]);

	/**
	 * How many results the store holds.
	 */
	@Param({ "1000", "10000", "100000", "1000000" })
	public int keys;

	private final AtomicLong sequence = new AtomicLong();

	private final Map<String, StoredResult> plain = new ConcurrentHashMap<>();

	private InMemoryIdempotencyStore store = newStore(1);

	private InMemoryIdempotencyStore full = newStore(1);

	private static InMemoryIdempotencyStore newStore(long maxEntries) {
		return new InMemoryIdempotencyStore(new MemoryLimits(maxEntries, Long.MAX_VALUE), new MonotonicClock(),
				(key) -> {
				});
	}

	/**
	 * Fill the store.
	 */
	@Setup
	public void fill() {
		this.store = newStore(this.keys + 1000L);
		this.full = newStore(this.keys);
		for (int i = 0; i < this.keys; i++) {
			IdempotencyKey key = IdempotencyKey.of("POST /payments", "completed-" + i);
			this.store.complete(claim(this.store, key), RESULT, TTL);
			this.full.complete(claim(this.full, key), RESULT, TTL);
			this.plain.put(key.value(), StoredResult.of(new byte[200]));
		}
	}

	/**
	 * A first request in a store that has room. Its record is removed again, so that the
	 * store keeps its size.
	 */
	@Benchmark
	public boolean claimCompleteForget() {
		IdempotencyKey key = newKey();
		this.store.complete(claim(this.store, key), RESULT, TTL);
		return this.store.forget(key);
	}

	/**
	 * A first request in a full store: each new result evicts an old one.
	 */
	@Benchmark
	public boolean claimCompleteEvict() {
		return this.full.complete(claim(this.full, newKey()), RESULT, TTL);
	}

	/**
	 * A first request whose work fails.
	 */
	@Benchmark
	public boolean claimRelease() {
		return this.store.release(claim(this.store, newKey()));
	}

	/**
	 * A retry of one of the thousand newest results, since most retries come soon.
	 */
	@Benchmark
	public ClaimResult refusedClaim() {
		return refusedClaim(this.keys - 1 - ThreadLocalRandom.current().nextInt(RECENT));
	}

	/**
	 * A retry of any result, however old. With many results it waits for main memory, as
	 * the plain map does.
	 */
	@Benchmark
	public ClaimResult refusedClaimOfAnyAge() {
		return refusedClaim(ThreadLocalRandom.current().nextInt(this.keys));
	}

	/**
	 * The floor of the above: the minimum cost of a lookup.
	 */
	@Benchmark
	public @Nullable StoredResult plainMapOfAnyAge() {
		return this.plain.get("completed-" + ThreadLocalRandom.current().nextInt(this.keys));
	}

	private ClaimResult refusedClaim(int index) {
		return this.store.claim(IdempotencyKey.of("POST /payments", "completed-" + index), Fingerprint.none(), TERMS);
	}

	private IdempotencyKey newKey() {
		return IdempotencyKey.of("POST /payments", "new-" + this.sequence.incrementAndGet());
	}

	private static Claim claim(InMemoryIdempotencyStore store, IdempotencyKey key) {
		return ((ClaimResult.Granted) store.claim(key, Fingerprint.none(), TERMS)).claim();
	}

}
