package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
 * Waiting without a thread, on a store that wakes waiters up and on one that has to be
 * asked.
 */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // What comes of it is looked at
class PendingDecisionTests {

	private static final OperationPolicy PATIENT = OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(1))
		.withPatience(Duration.ofMinutes(1));

	private final InMemoryIdempotencyStore memory = MemoryStores.with(new MonotonicClock());

	private final WatchedStore store = new WatchedStore(this.memory);

	private final List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();

	private final ExecutorService pool = Executors.newFixedThreadPool(4);

	private DecisionThreads threads = DecisionThreads.of(this.pool);

	private IdempotencyEngine engine = engine(this.store, Mode.ENFORCE, OnStoreFailure.REJECT);

	private IdempotencyEngine engine(IdempotencyStore store, Mode mode, OnStoreFailure onStoreFailure) {
		return new IdempotencyEngine(store, new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()),
				new MonotonicClock(), List.of(this.events::add));
	}

	@AfterEach
	void leavesNothingBehind() {
		await().untilAsserted(() -> {
			assertThat(this.engine.attemptsWaiting()).isZero();
			assertThat(this.store.subscriptions).hasValue(0);
		});
		this.engine.close();
		this.pool.shutdownNow();
	}

	@Test
	void decidesAtOnceWhatNeedsNoWait() throws Exception {
		Execution first = proceed(get(begin(PATIENT)));
		assertThat(get(begin(PATIENT.withPatience(Duration.ZERO))).reason()).isEqualTo(Reason.IN_PROGRESS);
		Asked other = begin(new Attempt(KEY, Fingerprint.none(), PATIENT));
		assertThat(get(other)).isEqualTo(Decision.Refused.keyReused());
		first.complete(bytes("paid"));
		assertThat(replayed(get(begin(PATIENT)))).isEqualTo("paid");
		assertThat(decided()).hasSize(4);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waitsForARunningTwinAndReplaysItsResult(boolean wakesUp) throws Exception {
		this.engine = engine(wakesUp ? this.store : new FaultInjectingStore(this.store, (verb) -> Fault.NONE),
				Mode.ENFORCE, OnStoreFailure.REJECT);
		Execution running = proceed(get(begin(PATIENT)));
		List<Asked> waiters = some(500);
		CompletableFuture<Decision> blocking = CompletableFuture
			.supplyAsync(() -> this.engine.begin(new Attempt(KEY, FINGERPRINT, PATIENT)));
		await().until(() -> this.engine.attemptsWaiting() == 501);
		assertThat(waiters).noneMatch((waiter) -> waiter.decision.isDone());
		int asked = this.store.claims.get();
		running.complete(bytes("paid"));
		for (Asked waiter : waiters) {
			assertThat(replayed(get(waiter))).isEqualTo("paid");
		}
		assertThat(replayed(blocking.get(30, TimeUnit.SECONDS))).isEqualTo("paid");
		// One looked for all
		assertThat(this.store.claims.get() - asked).isLessThan(50);
		assertThat(decided()).hasSize(502);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void letsOneOfManyRunWhenTheTwinGaveUp(boolean wakesUp) throws Exception {
		this.engine = engine(wakesUp ? this.store : new FaultInjectingStore(this.store, (verb) -> Fault.NONE),
				Mode.ENFORCE, OnStoreFailure.REJECT);
		Execution running = proceed(get(begin(PATIENT)));
		AtomicInteger runs = new AtomicInteger();
		List<Asked> waiters = some(20);
		waiters.forEach((waiter) -> waiter.decision.thenAccept((decision) -> {
			if (decision instanceof Decision.Proceed proceed && runs.incrementAndGet() == 1) {
				proceed.execution().complete(bytes("paid"));
			}
		}));
		running.close();
		for (Asked waiter : waiters) {
			get(waiter);
		}
		assertThat(runs).hasValue(1);
	}

	@Test
	void takesOverWhenTheTwinVanishes() throws Exception {
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(100))
			.withPatience(Duration.ofMinutes(1));
		proceed(get(begin(brief))).letLeaseRunOut();
		Execution taken = proceed(get(begin(brief)));
		assertThat(taken.attempt()).isEqualTo(2);
		taken.close();
	}

	@Test
	void givesUpWhenPatienceEndsAlsoWhileOthersLook() throws Exception {
		Execution running = proceed(get(begin(PATIENT)));
		Asked looking = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 1);
		assertThat(get(begin(PATIENT.withPatience(Duration.ofMillis(50)))).reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(looking.decision).isNotDone();
		running.complete(bytes("paid"));
		assertThat(replayed(get(looking))).isEqualTo("paid");
	}

	@Test
	void lookerWhosePatienceEndsPassesItsTurnOn() throws Exception {
		Execution running = proceed(get(begin(PATIENT)));
		Asked brief = begin(PATIENT.withPatience(Duration.ofMillis(300)));
		await().until(() -> this.engine.attemptsWaiting() == 1);
		List<Asked> others = some(5);
		assertThat(get(brief).reason()).isEqualTo(Reason.IN_PROGRESS);
		running.complete(bytes("paid"));
		for (Asked other : others) {
			assertThat(replayed(get(other))).isEqualTo("paid");
		}
	}

	@Test
	void countsEachReplayOfThoseWhoWaited() throws Exception {
		OperationPolicy limited = PATIENT.withMaxReplays(3);
		Execution running = proceed(get(begin(limited)));
		List<Asked> waiters = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			waiters.add(begin(limited));
		}
		await().until(() -> this.engine.attemptsWaiting() == 6);
		running.complete(bytes("paid"));
		int replays = 0;
		for (Asked waiter : waiters) {
			replays += (get(waiter) instanceof Decision.Replay) ? 1 : 0;
		}
		assertThat(replays).isEqualTo(3);
	}

	@Test
	void neverJoinsATwinThatWasRunningWhenTheStoreFailed() throws Exception {
		proceed(get(begin(PATIENT)));
		this.engine = engine(this.store, Mode.ENFORCE, OnStoreFailure.PROCEED);
		Asked waiter = begin(PATIENT.withPatience(Duration.ofMillis(700)));
		await().until(() -> this.engine.attemptsWaiting() == 1);
		this.store.failure = new IllegalStateException("no connection");
		assertThat(get(waiter).reason()).isEqualTo(Reason.IN_PROGRESS);
	}

	@Test
	void runsUnprotectedOrFailsIfTheFirstClaimFails() throws Exception {
		this.store.failure = new IllegalStateException("no connection");
		Asked rejected = begin(PATIENT);
		assertThat(rejected.decision).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(IdempotencyStoreException.class);
		assertThat(this.events).filteredOn(IdempotencyEvent.Undecided.class::isInstance).hasSize(1);
		this.engine = engine(this.store, Mode.ENFORCE, OnStoreFailure.PROCEED);
		assertThat(proceed(get(begin(PATIENT)))).isInstanceOf(UnprotectedExecution.class);
		assertThat(this.events).filteredOn(IdempotencyEvent.RanUnprotected.class::isInstance).hasSize(1);
	}

	@Test
	void observesWithoutWaiting() throws Exception {
		this.engine = engine(this.store, Mode.OBSERVE, OnStoreFailure.REJECT);
		Execution running = proceed(get(begin(PATIENT)));
		assertThat(proceed(get(begin(PATIENT)))).isInstanceOf(UnprotectedExecution.class);
		running.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void cancelEndsAWait(boolean looks) throws Exception {
		Execution running = proceed(get(begin(PATIENT)));
		Asked first = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 1);
		Asked second = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 2);
		Asked leaving = looks ? first : second;
		Asked staying = looks ? second : first;
		leaving.pending.cancel();
		await().until(() -> this.engine.attemptsWaiting() == 1);
		running.complete(bytes("paid"));
		assertThat(replayed(get(staying))).isEqualTo("paid");
		assertThat(leaving.decision).isNotDone();
		// It is over for whoever watches, as an interrupted wait is
		assertThat(decided()).hasSize(3);
	}

	@Test
	void cancelWhileAClaimIsUnderWayGivesTheKeyBack() throws Exception {
		CountDownLatch claiming = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.store.beforeClaim = () -> {
			claiming.countDown();
			awaitUninterrupted(goOn);
		};
		Asked asked = begin(PATIENT);
		claiming.await();
		asked.pending.cancel();
		this.store.beforeClaim = () -> {
		};
		goOn.countDown();
		Execution next = proceed(get(begin(PATIENT)));
		await().until(() -> this.engine.executionsInProgress() == 1);
		assertThat(next.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(asked.decision).isNotDone();
	}

	@Test
	void cancelBeforeTheClaimAsksNobody() {
		ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
		this.threads = DecisionThreads.of(tasks::add);
		Asked asked = begin(PATIENT);
		asked.pending.cancel();
		tasks.forEach(Runnable::run);
		assertThat(this.store.claims).hasValue(0);
		assertThat(asked.decision).isNotDone();
		assertThat(this.events).hasExactlyElementsOfTypes(IdempotencyEvent.Undecided.class);
	}

	@Test
	void failsIfThereIsNoThreadForTheClaim() {
		this.threads = new DecisionThreads((task) -> {
			throw new RejectedExecutionException("full");
		}, this.pool, this.pool);
		assertThat(begin(PATIENT).decision).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(IdempotencyStoreException.class)
			.withMessageContaining("too many claims wait");
	}

	@Test
	void waitsOnWhileThereIsNoThreadToLook() throws Exception {
		AtomicBoolean full = new AtomicBoolean(true);
		this.threads = withoutLooksWhile(full);
		Execution running = proceed(get(begin(PATIENT)));
		List<Asked> waiters = some(3);
		assertThat(get(begin(PATIENT.withPatience(Duration.ofMillis(50)))).reason()).isEqualTo(Reason.IN_PROGRESS);
		running.complete(bytes("paid"));
		assertThat(waiters).noneMatch((waiter) -> waiter.decision.isDone());
		full.set(false);
		for (Asked waiter : waiters) {
			assertThat(replayed(get(waiter))).isEqualTo("paid");
		}
	}

	@Test
	void oneThatLeavesBeforeItLooksPassesItsTurnOn() throws Exception {
		AtomicBoolean held = new AtomicBoolean();
		ConcurrentLinkedQueue<Runnable> turns = new ConcurrentLinkedQueue<>();
		CountDownLatch standingBy = new CountDownLatch(2);
		Execution running = proceed(get(begin(PATIENT)));
		Asked looking = begin(PATIENT);
		await().until(() -> this.store.subscriptions.get() == 1);
		this.threads = new DecisionThreads(this.pool, (task) -> {
			if (held.get()) {
				turns.add(task);
				return;
			}
			task.run();
			standingBy.countDown();
		}, this.pool);
		Asked leaving = begin(PATIENT);
		await().until(() -> standingBy.getCount() == 1);
		Asked last = begin(PATIENT);
		standingBy.await();
		held.set(true);
		looking.pending.cancel();
		await().until(() -> turns.size() == 1);
		held.set(false);
		leaving.pending.cancel();
		turns.remove().run();
		running.complete(bytes("paid"));
		assertThat(replayed(get(last))).isEqualTo("paid");
		assertThat(leaving.decision).isNotDone();
	}

	@Test
	void aBlockedCallerLooksWhileThereIsNoThreadForOthers() throws Exception {
		AtomicBoolean full = new AtomicBoolean();
		this.threads = withoutLooksWhile(full);
		Execution running = proceed(get(begin(PATIENT)));
		Asked looking = begin(PATIENT);
		await().until(() -> this.store.subscriptions.get() == 1);
		Asked next = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 2);
		CompletableFuture<Decision> blocking = CompletableFuture
			.supplyAsync(() -> this.engine.begin(new Attempt(KEY, FINGERPRINT, PATIENT)));
		await().until(() -> this.engine.attemptsWaiting() == 3);
		full.set(true);
		looking.pending.cancel();
		running.complete(bytes("paid"));
		assertThat(replayed(blocking.get(30, TimeUnit.SECONDS))).isEqualTo("paid");
		assertThat(replayed(get(next))).isEqualTo("paid");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anErrorReachesTheOneWhoLookedAndTheNextOneLooks(boolean subscribing) throws Exception {
		Execution running = proceed(get(begin(PATIENT)));
		if (subscribing) {
			this.store.subscribingFailure = new LinkageError("of a driver");
			assertThat(begin(PATIENT).decision).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.withCauseInstanceOf(LinkageError.class);
			running.close();
			return;
		}
		Asked first = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 1);
		Asked second = begin(PATIENT);
		await().until(() -> this.engine.attemptsWaiting() == 2);
		this.store.failOnce = new LinkageError("of a driver");
		assertThat(first.decision).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LinkageError.class);
		running.complete(bytes("paid"));
		assertThat(replayed(get(second))).isEqualTo("paid");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anErrorOfTheClockKeepsNoKeyThatWasGrantedToAWaiter(boolean hasThread) {
		AtomicBoolean failing = new AtomicBoolean();
		IdempotencyStore granting = new ForwardingStore(this.memory) {

			@Override
			public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
				ClaimResult result = super.claim(key, fingerprint, terms);
				failing.set(PendingDecisionTests.this.engine.attemptsWaiting() > 0
						&& result instanceof ClaimResult.Granted);
				return result;
			}

		};
		this.engine = new IdempotencyEngine(granting, EngineSettings.of("shop"), new FailingClock(failing), List.of());
		Attempt attempt = new Attempt(KEY, FINGERPRINT, PATIENT);
		Execution running = proceed(this.engine.begin(attempt));
		CompletableFuture<Decision> waiting = hasThread
				? CompletableFuture.supplyAsync(() -> this.engine.begin(attempt)) : begin(attempt).decision;
		await().until(() -> this.engine.attemptsWaiting() == 1);
		running.close();
		assertThat(waiting).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(StackOverflowError.class);
		assertThat(this.memory.find(KEY.within("shop"))).isEmpty();
	}

	/**
	 * As after the shutdown of the executor, which lets its callers run endings.
	 */
	@Test
	void thousandsWhosePatienceEndsAtOnceOnOneThreadAreToldOnceEach() throws Exception {
		this.threads = new DecisionThreads(this.pool, this.pool, Runnable::run);
		Execution running = proceed(get(begin(PATIENT)));
		List<Asked> waiters = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			waiters.add(begin(PATIENT.withPatience(Duration.ofSeconds(2))));
		}
		for (Asked waiter : waiters) {
			assertThat(get(waiter).reason()).isEqualTo(Reason.IN_PROGRESS);
		}
		assertThat(decided()).hasSize(10_001);
		running.close();
	}

	@Test
	void anErrorOfAListenerGivesTheKeyBack() {
		this.engine = new IdempotencyEngine(this.store, EngineSettings.of("shop"), new MonotonicClock(),
				List.of((event) -> {
					if (event instanceof IdempotencyEvent.Decided) {
						throw new OutOfMemoryError("planted");
					}
				}));
		assertThat(begin(PATIENT).decision).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThat(this.engine.executionsInProgress()).isZero();
		assertThat(this.memory.find(KEY.within("shop"))).isEmpty();
	}

	@Test
	void runsOnceHoweverManyComeAndGo() throws Exception {
		for (int round = 0; round < 200; round++) {
			IdempotencyKey key = IdempotencyKey.of("pay", "key-" + round);
			AtomicInteger runs = new AtomicInteger();
			List<Asked> asked = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				Asked one = begin(new Attempt(key, FINGERPRINT, PATIENT));
				boolean givesBack = i % 5 == 4;
				one.decision.thenAcceptAsync((decision) -> {
					if (decision instanceof Decision.Proceed proceed) {
						if (givesBack) {
							proceed.execution().close();
						}
						else {
							runs.incrementAndGet();
							proceed.execution().complete(bytes("paid"));
						}
					}
				}, this.pool);
				asked.add(one);
			}
			for (int i = 1; i < 12; i += 3) {
				if (ThreadLocalRandom.current().nextBoolean()) {
					asked.get(i).pending.cancel();
				}
			}
			for (int i = 0; i < 12; i += 3) {
				get(asked.get(i));
			}
			await().pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> this.engine.attemptsWaiting() == 0);
			assertThat(runs).hasValueLessThanOrEqualTo(1);
		}
		await().until(() -> this.engine.executionsInProgress() == 0);
	}

	private List<IdempotencyEvent> decided() {
		return this.events.stream().filter(IdempotencyEvent.Decided.class::isInstance).toList();
	}

	private DecisionThreads withoutLooksWhile(AtomicBoolean full) {
		return new DecisionThreads(this.pool, (task) -> {
			if (full.get()) {
				throw new RejectedExecutionException("full");
			}
			this.pool.execute(task);
		}, this.pool);
	}

	private List<Asked> some(int count) {
		List<Asked> asked = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			asked.add(begin(PATIENT));
		}
		await().until(() -> this.engine.attemptsWaiting() >= count);
		return asked;
	}

	private Asked begin(OperationPolicy policy) {
		return begin(new Attempt(KEY, FINGERPRINT, policy));
	}

	private Asked begin(Attempt attempt) {
		CompletableFuture<Decision> decision = new CompletableFuture<>();
		PendingDecision pending = this.engine.begin(attempt, this.threads, new DecisionHandler() {

			@Override
			public void decided(Decision made) {
				if (!decision.complete(made)) {
					throw new IllegalStateException("told twice");
				}
			}

			@Override
			public void failed(Throwable failure) {
				decision.completeExceptionally(failure);
			}

		});
		return new Asked(decision, pending);
	}

	private static Decision get(Asked asked) throws Exception {
		return asked.decision.get(30, TimeUnit.SECONDS);
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private record Asked(CompletableFuture<Decision> decision, PendingDecision pending) {
	}

	/**
	 * Fails once when told to.
	 */
	private static final class FailingClock extends Clock {

		private final Clock clock = new MonotonicClock();

		private final AtomicBoolean failing;

		private FailingClock(AtomicBoolean failing) {
			this.failing = failing;
		}

		@Override
		public Instant instant() {
			if (this.failing.getAndSet(false)) {
				throw new StackOverflowError("planted");
			}
			return this.clock.instant();
		}

		@Override
		public ZoneId getZone() {
			return this.clock.getZone();
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

	}

	/**
	 * Counts, and fails when told to.
	 */
	private static final class WatchedStore extends ForwardingStore implements NotifyingStore {

		private final InMemoryIdempotencyStore memory;

		private final AtomicInteger claims = new AtomicInteger();

		private final AtomicInteger subscriptions = new AtomicInteger();

		private volatile Runnable beforeClaim = () -> {
		};

		private volatile @Nullable RuntimeException failure;

		private volatile @Nullable Error failOnce;

		private volatile @Nullable Error subscribingFailure;

		private WatchedStore(InMemoryIdempotencyStore memory) {
			super(memory);
			this.memory = memory;
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			this.claims.incrementAndGet();
			this.beforeClaim.run();
			Error error = this.failOnce;
			if (error != null) {
				this.failOnce = null;
				throw error;
			}
			RuntimeException exception = this.failure;
			if (exception != null) {
				throw exception;
			}
			return super.claim(key, fingerprint, terms);
		}

		@Override
		public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
			Error error = this.subscribingFailure;
			if (error != null) {
				throw error;
			}
			Subscription subscription = this.memory.subscribe(key, wakeUp);
			this.subscriptions.incrementAndGet();
			return () -> {
				this.subscriptions.decrementAndGet();
				subscription.close();
			};
		}

	}

}
