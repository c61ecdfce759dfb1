package dev.idempotency.actuate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.MovableClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How many keys are abandoned, and how seldom a store is asked.
 */
class AbandonedKeysTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(1000, 1 << 20),
			this.clock, (key) -> {
			});

	private final Queue<Runnable> counts = new ArrayDeque<>();

	private final AbandonedKeys keys = keys(this.store);

	private AbandonedKeys keys(IdempotencyStore store) {
		return keys(store, this.counts::add);
	}

	private AbandonedKeys keys(IdempotencyStore store, Executor executor) {
		IdempotencyEngine engine = new IdempotencyEngine(store, EngineSettings.of("shop"), this.clock, List.of());
		engine.close();
		return new AbandonedKeys(engine.records(), this.clock, executor);
	}

	private ClaimResult abandon(String namespace, String key) {
		return this.store.claim(IdempotencyKey.of("pay", key).within(namespace), Fingerprint.none(),
				new ClaimTerms(LEASE, Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ));
	}

	private void count() {
		this.counts.remove().run();
	}

	@Test
	void knowsNothingBeforeItHasCounted() {
		abandon("shop", "1");
		this.clock.advance(LEASE);
		assertThat(this.keys.number(RecordState.ABANDONED)).isNaN();
		count();
		assertThat(this.keys.number(RecordState.ABANDONED)).isEqualTo(1);
	}

	@Test
	void countsTheAbandonedKeysOfTheApplicationAndNoOthers() {
		abandon("shop", "1");
		abandon("shop", "2");
		abandon("another", "3");
		this.clock.advance(LEASE);
		abandon("shop", "running");
		this.keys.number(RecordState.ABANDONED);
		count();
		assertThat(this.keys.number(RecordState.ABANDONED)).isEqualTo(2);
		assertThat(this.keys.number(RecordState.REPORTED_UNKNOWN)).isZero();
	}

	@Test
	void tellsReportsFromCrashes() {
		this.store.abandon(((ClaimResult.Granted) abandon("shop", "reported")).claim());
		this.keys.number(RecordState.REPORTED_UNKNOWN);
		count();
		assertThat(this.keys.number(RecordState.REPORTED_UNKNOWN)).isEqualTo(1);
		assertThat(this.keys.number(RecordState.ABANDONED)).isZero();
	}

	@Test
	void asksTheStoreOnceAMinuteHoweverOftenItIsAsked() {
		this.keys.number(RecordState.ABANDONED);
		this.keys.number(RecordState.ABANDONED);
		assertThat(this.counts).as("one count at a time").hasSize(1);
		count();
		this.keys.number(RecordState.ABANDONED);
		this.clock.advance(AbandonedKeys.REST.minusMillis(1));
		this.keys.number(RecordState.ABANDONED);
		assertThat(this.counts).isEmpty();
		this.clock.advance(Duration.ofMillis(1));
		this.keys.number(RecordState.ABANDONED);
		assertThat(this.counts).hasSize(1);
	}

	@Test
	void restsLongerAfterACountThatTookLong() {
		AbandonedKeys slow = keys((SearchableStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SearchableStore.class }, (proxy, method, arguments) -> {
					this.clock.advance(Duration.ofSeconds(10));
					return method.invoke(this.store, arguments);
				}));
		slow.number(RecordState.ABANDONED);
		count();
		this.clock.advance(AbandonedKeys.REST);
		slow.number(RecordState.ABANDONED);
		assertThat(this.counts).isEmpty();
		this.clock.advance(Duration.ofSeconds(10L * AbandonedKeys.PARTS).minus(AbandonedKeys.REST));
		slow.number(RecordState.ABANDONED);
		assertThat(this.counts).hasSize(1);
	}

	@Test
	void countsAgainAfterAnError() {
		AtomicBoolean deadly = new AtomicBoolean(true);
		AbandonedKeys failing = keys((SearchableStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SearchableStore.class }, (proxy, method, arguments) -> {
					if (deadly.get()) {
						throw new NoClassDefFoundError("as planned");
					}
					return method.invoke(this.store, arguments);
				}));
		failing.number(RecordState.ABANDONED);
		count();
		assertThat(failing.number(RecordState.ABANDONED)).isNaN();
		deadly.set(false);
		this.clock.advance(AbandonedKeys.REST);
		failing.number(RecordState.ABANDONED);
		count();
		assertThat(failing.number(RecordState.ABANDONED)).isZero();
	}

	@Test
	void countsAgainWhenThereWasNoThreadToBeHad() {
		AtomicBoolean deadly = new AtomicBoolean(true);
		AbandonedKeys failing = keys(this.store, (count) -> {
			if (deadly.get()) {
				throw new OutOfMemoryError("unable to create native thread, as planned");
			}
			this.counts.add(count);
		});
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> failing.number(RecordState.ABANDONED));
		deadly.set(false);
		failing.number(RecordState.ABANDONED);
		assertThat(this.counts).hasSize(1);
	}

	@Test
	void knowsNothingOfAStoreThatCannotBeLookedThrough() {
		AbandonedKeys unknown = keys(new FaultInjectingStore(this.store, (verb) -> Fault.NONE));
		assertThat(unknown.number(RecordState.ABANDONED)).isNaN();
		assertThat(this.counts).isEmpty();
	}

}
