package dev.idempotency.core;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
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
 * However many wait for a key in one process, one of them asks the store, and nobody
 * waits for longer than that one.
 */
class SingleFlightTests {

	private static final OperationPolicy PATIENT = OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(1))
		.withPatience(Duration.ofMinutes(1));

	private static final int ROUNDS = LongRun.choose(200, 10_000);

	private final InMemoryIdempotencyStore memory = MemoryStores.with(new MemoryLimits(100_000, 64 << 20),
			new MonotonicClock());

	private final PolledStore polled = new PolledStore(this.memory);

	private IdempotencyEngine engine = engine(this.polled);

	private static IdempotencyEngine engine(IdempotencyStore store) {
		return new IdempotencyEngine(store, EngineSettings.of("shop"), new MonotonicClock(), List.of());
	}

	@AfterEach
	void leavesNothingBehind() throws ReflectiveOperationException {
		this.engine.close();
		Object claims = field(this.engine, "patientClaims");
		await().untilAsserted(() -> assertThat((Map<?, ?>) field(claims, "waits")).isEmpty());
	}

	private static Object field(Object owner, String name) throws ReflectiveOperationException {
		Field field = owner.getClass().getDeclaredField(name);
		field.setAccessible(true);
		return field.get(owner);
	}

	@Test
	void oneOfManyAsksForAll() {
		Execution running = proceed(begin(PATIENT));
		this.polled.claims.clear();
		List<Waiter> waiters = waiters(64, PATIENT);
		await().until(() -> looker(waiters).claims() > 6 && waiters.stream().allMatch(Waiter::isWaiting));
		Waiter looker = looker(waiters);
		assertThat(waiters).filteredOn((waiter) -> waiter != looker)
			.allSatisfy((waiter) -> assertThat(waiter.claims()).isEqualTo(1));
		running.complete(bytes("paid"));
		assertThat(waiters).allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo("paid"));
		assertThat(waiters).filteredOn((waiter) -> waiter != looker)
			.allSatisfy((waiter) -> assertThat(waiter.claims()).isEqualTo(1));
	}

	@Test
	void anotherAsksWhenPatienceEnds() {
		Execution running = proceed(begin(PATIENT));
		Waiter first = new Waiter(KEY, PATIENT.withPatience(Duration.ofSeconds(1)));
		await().until(() -> first.claims() > 1);
		List<Waiter> others = waiters(8, PATIENT);
		assertThat(first.decision().reason()).isEqualTo(Reason.IN_PROGRESS);
		await().until(() -> looker(others).claims() > 3);
		assertThat(others).filteredOn((waiter) -> waiter.claims() > 1).hasSize(1);
		running.complete(bytes("paid"));
		assertThat(others).allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo("paid"));
	}

	@Test
	void nobodyWaitsLongerThanItsOwnPatience() {
		proceed(begin(PATIENT));
		Waiter looker = new Waiter(KEY, PATIENT);
		await().until(() -> looker.claims() > 1);
		Waiter brief = new Waiter(KEY, PATIENT.withPatience(Duration.ofMillis(50)));
		assertThat(brief.decision().reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(brief.claims()).isEqualTo(1);
		looker.thread.interrupt();
		assertThat(looker.decision().reason()).isEqualTo(Reason.IN_PROGRESS);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void othersGoOnWhenOneIsInterrupted(boolean theOneWhoAsks) {
		Execution running = proceed(begin(PATIENT));
		List<Waiter> waiters = waiters(8, PATIENT);
		await().until(() -> looker(waiters).claims() > 1);
		Waiter looker = looker(waiters);
		Waiter interrupted = theOneWhoAsks ? looker
				: waiters.stream().filter((waiter) -> waiter != looker).findAny().orElseThrow();
		await().until(interrupted::isWaiting);
		interrupted.thread.interrupt();
		assertThat(interrupted.decision().reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(interrupted.stillInterrupted).isTrue();
		running.complete(bytes("paid"));
		assertThat(waiters).filteredOn((waiter) -> waiter != interrupted)
			.allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo("paid"));
	}

	@Test
	void othersGoOnWhenOneFails() {
		Execution running = proceed(begin(PATIENT));
		List<Waiter> waiters = waiters(8, PATIENT);
		await().until(() -> looker(waiters).claims() > 1);
		Waiter looker = looker(waiters);
		this.polled.deadly = looker.thread;
		assertThat(looker.future).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(OutOfMemoryError.class);
		running.complete(bytes("paid"));
		assertThat(waiters).filteredOn((waiter) -> waiter != looker)
			.allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo("paid"));
	}

	@Test
	void othersGoOnWhenOneGetsTheKey() {
		List<Waiter> waiters = new ArrayList<>();
		Execution running = proceed(begin(PATIENT));
		waiters.addAll(waiters(8, PATIENT));
		for (int left = 8; left > 1; left--) {
			running.close();
			await().until(() -> waiters.stream().anyMatch((waiter) -> waiter.future.isDone()));
			Waiter next = waiters.stream().filter((waiter) -> waiter.future.isDone()).findAny().orElseThrow();
			waiters.remove(next);
			running = proceed(next.decision());
			assertThat(waiters).noneMatch((waiter) -> waiter.future.isDone());
		}
		running.complete(bytes("paid"));
		assertThat(replayed(waiters.get(0).decision())).isEqualTo("paid");
	}

	@Test
	void thoseWhoAskedForSomethingElseGetTheirOwnAnswer() {
		Execution running = proceed(begin(PATIENT));
		Waiter retry = new Waiter(KEY, PATIENT);
		Waiter refuse = new Waiter(KEY, PATIENT.withOnCrash(OnCrash.REFUSE));
		Waiter brief = new Waiter(KEY, PATIENT.withTtl(Duration.ofHours(2)));
		await().until(() -> List.of(retry, refuse, brief).stream().allMatch((waiter) -> waiter.claims() > 2));
		Attempt other = new Attempt(KEY, Fingerprint.none(), PATIENT);
		assertThat(this.engine.begin(other)).isEqualTo(Decision.Refused.keyReused());
		running.complete(bytes("paid"));
		assertThat(List.of(retry, refuse, brief))
			.allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo("paid"));
	}

	@Test
	void allHearThatTheKeyWentToAnotherRequest() {
		proceed(begin(PATIENT));
		List<Waiter> waiters = waiters(8, PATIENT);
		await().until(() -> this.polled.claims.size() == 9);
		this.polled.gate.lock();
		try {
			IdempotencyKey key = KEY.within("shop");
			assertThat(this.memory.forget(key)).isTrue();
			this.memory.claim(key, Fingerprint.none(), PATIENT.terms());
		}
		finally {
			this.polled.gate.unlock();
		}
		assertThat(waiters)
			.allSatisfy((waiter) -> assertThat(waiter.decision()).isEqualTo(Decision.Refused.keyReused()));
	}

	@Test
	void countsTheReplayOfEachWhoWaited() {
		OperationPolicy limited = PATIENT.withMaxReplays(3);
		Execution running = proceed(begin(limited));
		List<Waiter> waiters = waiters(5, limited);
		await().until(() -> this.polled.claims.size() == 6);
		running.complete(bytes("paid"));
		List<Decision> decisions = waiters.stream().map(Waiter::decision).toList();
		assertThat(decisions).filteredOn(Decision.Replay.class::isInstance).hasSize(3);
		assertThat(decisions).filteredOn((decision) -> decision.reason() == Reason.REPLAY_LIMIT).hasSize(2);
		assertThat(begin(limited)).isEqualTo(Decision.Refused.replayLimit(6, limited.ttl()));
	}

	@Test
	void nobodyGetsAnAnswerFromBeforeItAsked() {
		for (int round = 0; round < 20; round++) {
			String result = "paid " + round;
			Execution running = proceed(begin(PATIENT));
			List<Waiter> waiters = waiters(4, PATIENT);
			running.complete(bytes(result));
			assertThat(waiters).allSatisfy((waiter) -> assertThat(replayed(waiter.decision())).isEqualTo(result));
			assertThat(this.memory.forget(KEY.within("shop"))).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nobodyWaitsForNothing(boolean wakesUp) {
		this.engine = engine(wakesUp ? this.memory : this.polled);
		for (int round = 0; round < ROUNDS; round++) {
			IdempotencyKey key = IdempotencyKey.of("pay", "round " + round);
			AtomicInteger granted = new AtomicInteger();
			AtomicInteger running = new AtomicInteger();
			List<String> answers = Race.run(10, () -> {
				pause(300);
				Decision decision = this.engine.begin(new Attempt(key, FINGERPRINT, PATIENT));
				if (!(decision instanceof Decision.Proceed proceed)) {
					return (decision instanceof Decision.Replay) ? replayed(decision) : decision.toString();
				}
				try (Execution execution = proceed.execution()) {
					assertThat(running.incrementAndGet()).as("running at once").isEqualTo(1);
					int attempt = granted.incrementAndGet();
					pause(200);
					running.decrementAndGet();
					if (attempt <= 4) {
						return "released";
					}
					assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
					return "ran";
				}
			});
			assertThat(granted).as("round %d", round).hasValue(5);
			assertThat(answers).containsOnlyOnce("ran").containsOnly("ran", "released", "paid");
		}
	}

	private static void pause(int maxMicros) {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, maxMicros)));
	}

	private Decision begin(OperationPolicy policy) {
		return this.engine.begin(new Attempt(KEY, FINGERPRINT, policy));
	}

	private List<Waiter> waiters(int count, OperationPolicy policy) {
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			waiters.add(new Waiter(KEY, policy));
		}
		return waiters;
	}

	private static Waiter looker(List<Waiter> waiters) {
		return waiters.stream().max((one, other) -> Integer.compare(one.claims(), other.claims())).orElseThrow();
	}

	/**
	 * One who waits on a thread of its own.
	 */
	private final class Waiter {

		private final CompletableFuture<Decision> future = new CompletableFuture<>();

		private final Thread thread;

		private volatile boolean stillInterrupted;

		private Waiter(IdempotencyKey key, OperationPolicy policy) {
			this.thread = new Thread(() -> {
				try {
					Decision decision = SingleFlightTests.this.engine.begin(new Attempt(key, FINGERPRINT, policy));
					this.stillInterrupted = Thread.currentThread().isInterrupted();
					this.future.complete(decision);
				}
				catch (Throwable ex) {
					this.future.completeExceptionally(ex);
				}
			});
			this.thread.setDaemon(true);
			this.thread.start();
		}

		private int claims() {
			AtomicInteger claims = SingleFlightTests.this.polled.claims.get(this.thread);
			return (claims != null) ? claims.get() : 0;
		}

		private boolean isWaiting() {
			return claims() > 0 && this.thread.getState() == Thread.State.TIMED_WAITING;
		}

		private Decision decision() {
			return this.future.orTimeout(30, TimeUnit.SECONDS).join();
		}

	}

	/**
	 * A store that tells nobody when a key comes to an end, and counts who asks.
	 */
	private static final class PolledStore extends ForwardingStore {

		private final Map<Thread, AtomicInteger> claims = new ConcurrentHashMap<>();

		private final ReentrantLock gate = new ReentrantLock();

		private volatile @Nullable Thread deadly;

		private PolledStore(IdempotencyStore store) {
			super(store);
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			this.claims.computeIfAbsent(Thread.currentThread(), (thread) -> new AtomicInteger()).incrementAndGet();
			if (this.deadly == Thread.currentThread()) {
				throw new OutOfMemoryError("as planned");
			}
			this.gate.lock();
			try {
				return super.claim(key, fingerprint, terms);
			}
			finally {
				this.gate.unlock();
			}
		}

	}

}
