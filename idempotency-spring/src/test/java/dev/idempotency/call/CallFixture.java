package dev.idempotency.call;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.FaultPlan;
import dev.idempotency.test.MovableClock;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls without Spring: an engine on a store in memory, with a clock to move, faults to
 * plan and processes that die.
 */
class CallFixture {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration TTL = Duration.ofHours(24);

	static final OperationPolicy POLICY = OperationPolicy.of(TTL, LEASE);

	static final IdempotencyKey KEY = IdempotencyKey.of("pay", "key");

	final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	final InMemoryIdempotencyStore memory = MemoryStores.with(this.clock);

	final List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();

	volatile FaultPlan faults = (verb) -> Fault.NONE;

	final FaultyStore store = new FaultyStore();

	Idempotency idempotency = template(EngineSettings.of("shop"), POLICY);

	Idempotency template(Mode mode, OnStoreFailure onStoreFailure) {
		return template(new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()), POLICY);
	}

	Idempotency template(EngineSettings settings, OperationPolicy policy) {
		return template(settings, policy, JsonMapper.builder().build());
	}

	Idempotency template(EngineSettings settings, OperationPolicy policy, JsonMapper mapper) {
		IdempotencyEngine engine = new IdempotencyEngine(this.store, settings, this.clock, List.of(this.events::add));
		// Renews no lease, since the clock is the test's
		engine.close();
		return new IdempotencyTemplate(new Calls(engine, new ResultCodec(mapper), this.clock), policy,
				Duration.ofMinutes(1), NamedOperations.none());
	}

	/**
	 * The same application in a new process.
	 */
	void restart() {
		this.idempotency = template(EngineSettings.of("shop"), POLICY);
	}

	/**
	 * Ends the process where it is thrown: nothing that it still tries to say reaches the
	 * store.
	 */
	Death death() {
		this.faults = (verb) -> Fault.BEFORE;
		return new Death();
	}

	/**
	 * Lets a process die, and starts another one when all leases of the first are over.
	 */
	void untilDeath(Runnable life) {
		assertThatExceptionOfType(Death.class).isThrownBy(life::run);
		mend();
		this.clock.advance(LEASE);
		restart();
	}

	void fail(StoreVerb failing, Fault fault) {
		this.faults = (verb) -> (verb == failing) ? fault : Fault.NONE;
	}

	void mend() {
		this.faults = (verb) -> Fault.NONE;
	}

	/**
	 * Claims a key as another process would.
	 */
	Claim claimElsewhere(IdempotencyKey key) {
		ClaimResult result = this.memory.claim(key.within("shop"), Fingerprint.none(),
				new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.READ));
		assertThat(result).isInstanceOf(ClaimResult.Granted.class);
		return ((ClaimResult.Granted) result).claim();
	}

	/**
	 * What is stored under a key.
	 */
	String payload(IdempotencyKey key) {
		StoredResult result = Objects.requireNonNull(this.memory.find(key.within("shop")).orElseThrow().result());
		return StandardCharsets.UTF_8.decode(result.payload()).toString();
	}

	/**
	 * The end of a process.
	 */
	static final class Death extends Error {

		private static final long serialVersionUID = 1L;

	}

	/**
	 * A store that fails as planned and can be looked into.
	 */
	final class FaultyStore extends ForwardingStore implements InspectableStore {

		FaultyStore() {
			super(new FaultInjectingStore(CallFixture.this.memory, (verb) -> CallFixture.this.faults.next(verb)));
		}

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			return CallFixture.this.memory.find(key);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			return CallFixture.this.memory.forget(key);
		}

		@Override
		public boolean forget(Claim claim) {
			return CallFixture.this.memory.forget(claim);
		}

	}

}
