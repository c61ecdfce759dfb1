package dev.idempotency.benchmarks.sizing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;

/**
 * Fills a store with first requests and replays, many at a time.
 */
final class StoreFilling {

	static final String NAMESPACE = "payments";

	static final String OPERATION = "POST /payments";

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final IdempotencyStore store;

	private final int threads;

	private final ClaimTerms terms;

	private final Random keys = new Random(42);

	private final Fingerprint fingerprint = Fingerprint.sha256(new byte[200]);

	private final StoredResult result;

	/**
	 * Create a filling.
	 * @param store the store to fill
	 * @param threads the number of concurrent requests
	 * @param ttl how long records are kept
	 * @param answer the bytes of a response, which cannot be compressed
	 */
	StoreFilling(IdempotencyStore store, int threads, Duration ttl, int answer) {
		this.store = store;
		this.threads = threads;
		this.terms = new ClaimTerms(LEASE, ttl, OnCrash.RETRY, OnReplay.READ);
		byte[] payload = new byte[Sizing.frame(answer) - StoredResult.HEADER];
		new Random(1).nextBytes(payload);
		this.result = StoredResult.of(payload);
	}

	/**
	 * Claims and completes new keys.
	 */
	void first(int requests) {
		run(requests, new Random(this.keys.nextLong()), this::first);
	}

	/**
	 * Completes new keys, and replays each of them several times.
	 * @param cpu the CPU time of the server so far
	 * @return the CPU time of a replay
	 */
	double replay(int requests, int times, DoubleSupplier cpu) {
		long seed = this.keys.nextLong();
		run(requests, new Random(seed), this::first);
		double before = cpu.getAsDouble();
		for (int i = 0; i < times; i++) {
			run(requests, new Random(seed), this::replay);
		}
		return (cpu.getAsDouble() - before) / requests / times;
	}

	private void run(int requests, Random random, Consumer<IdempotencyKey> request) {
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			List<CompletableFuture<Void>> all = new ArrayList<>();
			for (int i = 0; i < this.threads; i++) {
				Random own = new Random(random.nextLong());
				int share = requests / this.threads + ((i < requests % this.threads) ? 1 : 0);
				all.add(CompletableFuture.runAsync(() -> {
					for (int j = 0; j < share; j++) {
						request.accept(key(own));
					}
				}, executor));
			}
			all.forEach(CompletableFuture::join);
		}
		finally {
			executor.shutdown();
		}
	}

	/**
	 * A key as most clients create it, without the cost of a secure random source.
	 */
	private static IdempotencyKey key(Random random) {
		return IdempotencyKey.of(OPERATION, new UUID(random.nextLong(), random.nextLong()).toString())
			.within(NAMESPACE);
	}

	private void first(IdempotencyKey key) {
		if (!(claim(key) instanceof ClaimResult.Granted granted)
				|| !this.store.complete(granted.claim(), this.result, LEASE)) {
			throw new IllegalStateException("A new key was not completed");
		}
	}

	private void replay(IdempotencyKey key) {
		if (claim(key) instanceof ClaimResult.Granted) {
			throw new IllegalStateException("A completed key was not replayed");
		}
	}

	private ClaimResult claim(IdempotencyKey key) {
		return this.store.claim(key, this.fingerprint, this.terms);
	}

	/**
	 * Claims a new key and does not complete it, so that the claimed record can be
	 * copied.
	 */
	ClaimResult.Granted claimOnly() {
		return (ClaimResult.Granted) claim(key(this.keys));
	}

	void complete(ClaimResult.Granted granted) {
		this.store.complete(granted.claim(), this.result, LEASE);
	}

	byte[] frame() {
		return this.result.toFrame();
	}

}
