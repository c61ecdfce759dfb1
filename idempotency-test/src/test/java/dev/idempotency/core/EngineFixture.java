package dev.idempotency.core;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.FaultPlan;
import dev.idempotency.test.MovableClock;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine on a store in memory, with a clock to move, faults to plan and events to
 * read.
 */
class EngineFixture {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration TTL = Duration.ofHours(24);

	static final OperationPolicy POLICY = OperationPolicy.of(TTL, LEASE);

	static final IdempotencyKey KEY = IdempotencyKey.of("pay", "key");

	static final Fingerprint FINGERPRINT = Fingerprint.sha256(bytes("100 euros"));

	final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	final InMemoryIdempotencyStore memory = MemoryStores.with(this.clock);

	final List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();

	volatile FaultPlan faults = (verb) -> Fault.NONE;

	final IdempotencyStore store = new FaultInjectingStore(this.memory, (verb) -> this.faults.next(verb));

	IdempotencyEngine engine = engine(Mode.ENFORCE, OnStoreFailure.REJECT);

	IdempotencyEngine engine(Mode mode, OnStoreFailure onStoreFailure) {
		return engine(this.store, new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()));
	}

	IdempotencyEngine engine(IdempotencyStore store, EngineSettings settings) {
		return engine(store, settings, List.of(this.events::add));
	}

	/**
	 * An engine whose leases are renewed by the test, since the clock is moved by it too.
	 */
	IdempotencyEngine engine(IdempotencyStore store, EngineSettings settings, List<IdempotencyListener> listeners) {
		return new IdempotencyEngine(store, settings, this.clock,
				new EngineHooks(List.copyOf(listeners), null, null, null), (task) -> new Thread(() -> {
				}), Runnable::run);
	}

	Decision begin() {
		return begin(POLICY);
	}

	Decision begin(OperationPolicy policy) {
		return this.engine.begin(new Attempt(KEY, FINGERPRINT, policy));
	}

	Decision beginSomethingElse() {
		return this.engine.begin(new Attempt(KEY, Fingerprint.sha256(bytes("200 euros")), POLICY));
	}

	Execution proceed() {
		return proceed(begin());
	}

	static Execution proceed(Decision decision) {
		assertThat(decision).isInstanceOf(Decision.Proceed.class);
		return ((Decision.Proceed) decision).execution();
	}

	static String replayed(@Nullable Decision decision) {
		assertThat(decision).isInstanceOf(Decision.Replay.class);
		return StandardCharsets.UTF_8.decode(((Decision.Replay) decision).result().payload()).toString();
	}

	void fail(StoreVerb failing, Fault fault) {
		this.faults = (verb) -> (verb == failing) ? fault : Fault.NONE;
	}

	void mend() {
		this.faults = (verb) -> Fault.NONE;
	}

	<E extends IdempotencyEvent> List<E> events(Class<E> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
