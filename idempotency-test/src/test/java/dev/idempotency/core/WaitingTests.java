package dev.idempotency.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.idempotency.core.EngineFixture.FINGERPRINT;
import static dev.idempotency.core.EngineFixture.KEY;
import static dev.idempotency.core.EngineFixture.bytes;
import static dev.idempotency.core.EngineFixture.proceed;
import static dev.idempotency.core.EngineFixture.replayed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Waiting happens in real time, on a store that wakes waiters up and on one that has to
 * be asked.
 */
class WaitingTests {

	private static final OperationPolicy PATIENT = OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(1))
		.withPatience(Duration.ofMinutes(1));

	private final InMemoryIdempotencyStore notifying = MemoryStores.with(new MonotonicClock());

	private final AtomicInteger claims = new AtomicInteger();

	private final IdempotencyStore polled = new FaultInjectingStore(this.notifying, (verb) -> {
		this.claims.incrementAndGet();
		return Fault.NONE;
	});

	private IdempotencyEngine engine = engine(this.notifying);

	private static IdempotencyEngine engine(IdempotencyStore store) {
		return new IdempotencyEngine(store, EngineSettings.of("shop"), new MonotonicClock(), List.of());
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waitsForARunningTwinAndReplaysItsResult(boolean wakesUp) throws Exception {
		this.engine = engine(wakesUp ? this.notifying : this.polled);
		Execution running = proceed(begin(PATIENT));
		List<CompletableFuture<Decision>> waiters = List.of(later(PATIENT), later(PATIENT), later(PATIENT));
		this.claims.set(0);
		if (!wakesUp) {
			await().until(() -> this.claims.get() > 6);
		}
		assertThat(waiters).noneMatch(CompletableFuture::isDone);
		running.complete(bytes("paid"));
		for (CompletableFuture<Decision> waiter : waiters) {
			assertThat(replayed(waiter.get(30, TimeUnit.SECONDS))).isEqualTo("paid");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void runsWhenTheTwinGaveUp(boolean wakesUp) throws Exception {
		this.engine = engine(wakesUp ? this.notifying : this.polled);
		Execution running = proceed(begin(PATIENT));
		CompletableFuture<Decision> waiter = later(PATIENT);
		running.close();
		assertThat(proceed(waiter.get(30, TimeUnit.SECONDS)).attempt()).isEqualTo(1);
	}

	@Test
	void letsOneOfManyWaitersRunWhenTheTwinGaveUp() {
		for (int round = 0; round < 20; round++) {
			Execution running = proceed(begin(PATIENT));
			CompletableFuture<Void> givenUp = CompletableFuture.runAsync(running::close);
			List<String> outcomes = Race.run(8, () -> {
				Decision decision = begin(PATIENT);
				if (decision instanceof Decision.Proceed proceed) {
					proceed.execution().complete(bytes("paid"));
					return "ran";
				}
				return replayed(decision);
			});
			assertThat(givenUp).succeedsWithin(Duration.ofSeconds(30));
			assertThat(outcomes).containsOnlyOnce("ran").contains("paid");
			this.notifying.forget(KEY.within("shop"));
		}
	}

	@Test
	void takesOverWhenTheTwinVanishes() throws Exception {
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(100))
			.withPatience(Duration.ofMinutes(1));
		proceed(begin(brief)).letLeaseRunOut();
		assertThat(proceed(later(brief).get(30, TimeUnit.SECONDS)).attempt()).isEqualTo(2);
	}

	@Test
	void givesUpWhenPatienceEndsAndLeavesTheKeyAlone() {
		Execution running = proceed(begin(PATIENT));
		assertThat(begin(PATIENT.withPatience(Duration.ofMillis(50))).reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(running.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin(PATIENT))).isEqualTo("paid");
	}

	@Test
	void neverJoinsATwinThatWasRunningWhenTheStoreFailed() {
		AtomicInteger asked = new AtomicInteger();
		IdempotencyStore failing = new FaultInjectingStore(this.notifying,
				(verb) -> (asked.incrementAndGet() > 1) ? Fault.BEFORE : Fault.NONE);
		proceed(begin(PATIENT));
		this.engine = new IdempotencyEngine(failing, new EngineSettings("shop", EngineSettings.Mode.ENFORCE,
				EngineSettings.OnStoreFailure.PROCEED, ResultPacking.none()), new MonotonicClock(), List.of());
		assertThat(begin(PATIENT.withPatience(Duration.ofMillis(100))).reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(asked).hasValueGreaterThan(2);
	}

	@Test
	void doesNotWaitForAnotherRequest() {
		proceed(begin(PATIENT));
		Attempt other = new Attempt(KEY, Fingerprint.none(), PATIENT);
		assertThat(this.engine.begin(other)).isEqualTo(Decision.Refused.keyReused());
	}

	@Test
	void doesNotWaitForAnOutcomeThatStaysUnknown() {
		OperationPolicy policy = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(1))
			.withOnCrash(OnCrash.REFUSE)
			.withPatience(Duration.ofMinutes(1));
		this.engine.close();
		proceed(begin(policy));
		await().untilAsserted(() -> assertThat(begin(policy)).isEqualTo(Decision.Refused.outcomeUnknown(1, null)));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waitsEvenWhenTheStoreFailsToWakeItUp(boolean subscribes) throws Exception {
		this.engine = engine(new DeafStore(this.notifying, subscribes));
		Execution running = proceed(begin(PATIENT));
		CompletableFuture<Decision> waiter = later(PATIENT);
		running.close();
		assertThat(proceed(waiter.get(30, TimeUnit.SECONDS)).attempt()).isEqualTo(1);
	}

	@Test
	void stopsWaitingWhenInterrupted() throws Exception {
		proceed(begin(PATIENT));
		CompletableFuture<Decision> decision = new CompletableFuture<>();
		CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			decision.complete(begin(PATIENT));
			stillInterrupted.complete(Thread.currentThread().isInterrupted());
		});
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
		waiter.interrupt();
		assertThat(decision.get(30, TimeUnit.SECONDS).reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(stillInterrupted.get(30, TimeUnit.SECONDS)).isTrue();
	}

	private Decision begin(OperationPolicy policy) {
		return this.engine.begin(new Attempt(KEY, FINGERPRINT, policy));
	}

	private CompletableFuture<Decision> later(OperationPolicy policy) {
		CompletableFuture<Decision> decision = new CompletableFuture<>();
		Thread thread = new Thread(() -> decision.complete(begin(policy)));
		thread.setDaemon(true);
		thread.start();
		return decision;
	}

	/**
	 * Cannot be subscribed to; or can, but calls nobody and fails to end a subscription.
	 */
	private static final class DeafStore extends ForwardingStore implements NotifyingStore {

		private final boolean subscribes;

		private DeafStore(IdempotencyStore store, boolean subscribes) {
			super(store);
			this.subscribes = subscribes;
		}

		@Override
		public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
			if (!this.subscribes) {
				throw new IllegalStateException("no connection");
			}
			return () -> {
				throw new IllegalStateException("no connection any more");
			};
		}

	}

}
