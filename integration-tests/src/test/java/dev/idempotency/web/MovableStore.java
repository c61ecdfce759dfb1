package dev.idempotency.web;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.FaultPlan;
import dev.idempotency.test.MovableClock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A store whose time and whose faults are up to the test, and an engine that has a clock
 * of its own: while only the store's moves, no lease is renewed.
 */
@Configuration(proxyBeanMethods = false)
class MovableStore {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private static final ThreadLocal<IdempotencyKey> current = new ThreadLocal<>();

	private final MovableClock storeClock = new MovableClock(START);

	private final MovableClock engineClock = new MovableClock(START);

	private final Map<StoreVerb, AtomicInteger> calls = new EnumMap<>(StoreVerb.class);

	private volatile FaultPlan faults = (verb) -> Fault.NONE;

	MovableStore() {
		for (StoreVerb verb : StoreVerb.values()) {
			this.calls.put(verb, new AtomicInteger());
		}
	}

	@Bean
	IdempotencyStore store() {
		IdempotencyStore memory = new InMemoryIdempotencyStore(new MemoryLimits(10_000, 64 << 20), this.storeClock,
				(key) -> {
				});
		return new KeyedStore(new FaultInjectingStore(new CountedStore(memory), (verb) -> this.faults.next(verb)));
	}

	@Bean
	IdempotencyEngine engine(IdempotencyStore store, IdempotencyProperties properties) {
		return new IdempotencyEngine(store,
				new EngineSettings("test", properties.mode(), properties.onStoreFailure(), ResultPacking.none()),
				this.engineClock, List.of());
	}

	private AtomicInteger counter(StoreVerb verb) {
		AtomicInteger counter = this.calls.get(verb);
		if (counter == null) {
			throw new IllegalArgumentException("Nobody counts " + verb);
		}
		return counter;
	}

	/**
	 * How often something was done.
	 */
	int calls(StoreVerb verb) {
		return counter(verb).get();
	}

	/**
	 * Time passes, and leases are renewed.
	 */
	void pass(Duration duration) {
		this.storeClock.advance(duration);
		this.engineClock.advance(duration);
	}

	/**
	 * Time passes, and nobody renews a lease: as if the process had died.
	 */
	void passWithoutRenewal(Duration duration) {
		this.storeClock.advance(duration);
	}

	void plan(FaultPlan plan) {
		this.faults = plan;
	}

	/**
	 * The key of the call that a plan is asked about.
	 */
	String key() {
		return current.get().value();
	}

	void fail(StoreVerb failing, Fault fault) {
		plan((verb) -> (verb == failing) ? fault : Fault.NONE);
	}

	void mend() {
		plan((verb) -> Fault.NONE);
	}

	/**
	 * Counts what it has done.
	 */
	private final class CountedStore extends ForwardingStore {

		private CountedStore(IdempotencyStore store) {
			super(store);
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			return counted(StoreVerb.CLAIM, super.claim(key, fingerprint, terms));
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return counted(StoreVerb.RENEW, super.renew(claim, lease));
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return counted(StoreVerb.COMPLETE, super.complete(claim, result, atLeast));
		}

		@Override
		public boolean release(Claim claim) {
			return counted(StoreVerb.RELEASE, super.release(claim));
		}

		private <T> T counted(StoreVerb verb, T result) {
			counter(verb).incrementAndGet();
			return result;
		}

	}

	/**
	 * Tells plans of the key.
	 */
	private static final class KeyedStore extends ForwardingStore {

		private KeyedStore(IdempotencyStore store) {
			super(store);
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			current.set(key);
			return super.claim(key, fingerprint, terms);
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			current.set(claim.key());
			return super.renew(claim, lease);
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			current.set(claim.key());
			return super.complete(claim, result, atLeast);
		}

		@Override
		public boolean release(Claim claim) {
			current.set(claim.key());
			return super.release(claim);
		}

	}

}
