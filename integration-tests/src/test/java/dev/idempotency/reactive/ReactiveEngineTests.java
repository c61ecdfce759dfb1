package dev.idempotency.reactive;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineHooks;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.Preview;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static dev.idempotency.fixtures.MemoryStores.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nobody blocks but threads of the store, and what becomes of those changes nothing for
 * others.
 */
@Timeout(60)
class ReactiveEngineTests {

	private static final OperationPolicy PATIENT = OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(1))
		.withPatience(Duration.ofMinutes(1));

	private static final OperationPolicy IMPATIENT = PATIENT.withPatience(Duration.ZERO);

	private final InMemoryIdempotencyStore memory = with(new MonotonicClock());

	private final BlockingStore blocking = new BlockingStore(this.memory);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private StoreThreads threads = threads(4, 10, true);

	private ReactiveEngine engine = engine(this.blocking, OnStoreFailure.REJECT);

	private StoreThreads threads(int threads, int queue, boolean blocks) {
		StoreThreads made = new StoreThreads(threads, queue, StoreThreads.platformThreads(), blocks);
		this.opened.add(made);
		return made;
	}

	private ReactiveEngine engine(IdempotencyStore store, OnStoreFailure onStoreFailure) {
		IdempotencyEngine plain = new IdempotencyEngine(store,
				new EngineSettings("shop", Mode.ENFORCE, onStoreFailure, ResultPacking.none()), new MonotonicClock(),
				List.of());
		this.opened.add(plain);
		return new ReactiveEngine(plain, this.threads);
	}

	@AfterEach
	void leavesNothingBehind() throws Exception {
		this.blocking.gate.countDown();
		await().untilAsserted(() -> {
			assertThat(this.engine.engine().attemptsWaiting()).isZero();
			assertThat(this.blocking.subscriptions).hasValue(0);
		});
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

	@Test
	void asksABlockingStoreOnThreadsOfItsOwn() {
		AtomicReference<String> taking = new AtomicReference<>("");
		String emitting = this.engine.begin(attempt("key", PATIENT), (decision) -> {
			taking.set(Thread.currentThread().getName());
			return decision;
		}).map((decision) -> Thread.currentThread().getName()).block();
		assertThat(this.blocking.askedOn).allMatch((name) -> name.startsWith("idempotency-store-")).isNotEmpty();
		assertThat(taking.get()).startsWith("idempotency-store-");
		assertThat(emitting).startsWith("boundedElastic-");
	}

	@Test
	void asksAStoreInMemoryOnTheThreadOfItsCaller() {
		this.threads = threads(4, 10, false);
		this.engine = engine(this.blocking, OnStoreFailure.REJECT);
		String here = Thread.currentThread().getName();
		Execution execution = proceed(this.engine.begin(attempt("key", PATIENT), (decision) -> decision)
			.doOnNext((decision) -> assertThat(Thread.currentThread().getName()).isEqualTo(here))
			.block());
		this.engine.end(() -> execution.complete(null))
			.doOnNext((done) -> assertThat(Thread.currentThread().getName()).isEqualTo(here))
			.block();
		assertThat(this.blocking.askedOn).containsOnly(here);
	}

	@Test
	void claimsNothingBeforeItIsSubscribedToAndOnceForEach() {
		Mono<Decision> begin = this.engine.begin(attempt("key", IMPATIENT), (decision) -> decision);
		assertThat(this.blocking.claims).hasValue(0);
		assertThat(begin.block()).isInstanceOf(Decision.Proceed.class);
		assertThat(begin.map(Decision::reason).block()).isEqualTo(Reason.IN_PROGRESS);
	}

	@Test
	void hundredsWaitOnAFewThreads() throws Exception {
		try (HikariDataSource dataSource = new HikariDataSource()) {
			dataSource.setJdbcUrl("jdbc:h2:mem:waiting;DB_CLOSE_DELAY=-1");
			JdbcIdempotencyStore jdbc = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			jdbc.prepareTable(InitializeSchema.ALWAYS);
			this.threads = threads(16, 1000, true);
			this.engine = engine(jdbc, OnStoreFailure.REJECT);
			manyWait();
			jdbc.close();
		}
		this.threads = threads(16, 1000, false);
		this.engine = engine(this.memory, OnStoreFailure.REJECT);
		manyWait();
	}

	private void manyWait() {
		Execution running = proceed(decide("key", PATIENT).block());
		int before = Thread.getAllStackTraces().size();
		AtomicInteger replays = new AtomicInteger();
		for (int i = 0; i < 500; i++) {
			decide("key", PATIENT).subscribe((decision) -> {
				if (decision instanceof Decision.Replay) {
					replays.incrementAndGet();
				}
			});
		}
		await().until(() -> this.engine.engine().attemptsWaiting() == 500);
		assertThat(Thread.getAllStackTraces().size() - before).isLessThan(25);
		assertThat(this.engine.end(() -> running.complete("paid".getBytes(StandardCharsets.UTF_8)).kind()).block())
			.isEqualTo(Completion.Kind.STORED);
		await().untilAsserted(() -> assertThat(replays).hasValue(500));
	}

	@Test
	void aClaimTooManyFailsAtOnceAndHangsNobody() {
		this.blocking.hang();
		List<Disposable> hanging = new ArrayList<>();
		for (int i = 0; i < 14; i++) {
			hanging.add(decide("key-" + i, PATIENT).subscribe());
		}
		assertThatExceptionOfType(IdempotencyStoreException.class)
			.isThrownBy(() -> decide("another", PATIENT).block(Duration.ofSeconds(10)))
			.withMessageContaining("too many claims wait");
		assertThatExceptionOfType(IdempotencyStoreException.class)
			.isThrownBy(() -> this.engine.preview(attempt("another", PATIENT)).block(Duration.ofSeconds(10)));
		// Completions have threads of their own
		assertThat(this.engine.end(() -> "ended").block(Duration.ofSeconds(10))).isEqualTo("ended");
		hanging.forEach(Disposable::dispose);
		this.blocking.gate.countDown();
		await().until(() -> this.engine.engine().executionsInProgress() == 0);
		assertThat(decide("another", PATIENT).block()).isInstanceOf(Decision.Proceed.class);
	}

	@Test
	void aClaimTooManyRunsUnprotectedIfSettingsSaySo() {
		this.engine = engine(this.blocking, OnStoreFailure.PROCEED);
		this.blocking.hang();
		for (int i = 0; i < 14; i++) {
			decide("key-" + i, PATIENT).subscribe();
		}
		Execution unprotected = proceed(decide("another", PATIENT).block(Duration.ofSeconds(10)));
		assertThat(unprotected.complete(null).kind()).isEqualTo(Completion.Kind.UNPROTECTED);
	}

	@Test
	void completionsAreNeverRefusedAndGoOnWithoutTheirSubscriber() throws Exception {
		CountDownLatch gate = new CountDownLatch(1);
		AtomicInteger ended = new AtomicInteger();
		List<Disposable> subscribers = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			subscribers.add(this.engine.end(() -> {
				gate.await();
				return ended.incrementAndGet();
			}).subscribe());
		}
		subscribers.forEach(Disposable::dispose);
		gate.countDown();
		await().untilAsserted(() -> assertThat(ended).hasValue(100));
	}

	@Test
	void completesAfterTheApplicationHasEnded() {
		this.threads.close();
		assertThat(this.engine.end(() -> "ended").block()).isEqualTo("ended");
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> decide("key", PATIENT).block());
	}

	@Test
	void cancelEndsAWaitAndItsSubscription() {
		Execution running = proceed(decide("key", PATIENT).block());
		List<Disposable> waiting = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			waiting.add(decide("key", PATIENT).subscribe());
		}
		await().until(() -> this.engine.engine().attemptsWaiting() == 10 && this.blocking.subscriptions.get() == 1);
		waiting.forEach(Disposable::dispose);
		await().until(() -> this.engine.engine().attemptsWaiting() == 0 && this.blocking.subscriptions.get() == 0);
		assertThat(running.complete(null).kind()).isEqualTo(Completion.Kind.STORED_WITHOUT_RESULT);
	}

	@Test
	void cancelWhileTheClaimIsUnderWayClosesTheExecution() {
		this.blocking.hang();
		AtomicInteger taken = new AtomicInteger();
		Disposable asked = this.engine.begin(attempt("key", PATIENT), (decision) -> taken.incrementAndGet())
			.subscribe();
		await().until(() -> this.blocking.claims.get() == 1);
		asked.dispose();
		this.blocking.gate.countDown();
		await().until(() -> decide("key", IMPATIENT).block() instanceof Decision.Proceed);
		assertThat(taken).hasValue(0);
	}

	@Test
	void whatTakesADecisionAndFailsLeavesTheKeyFree() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.engine.begin(attempt("key", PATIENT), (decision) -> {
				throw new IllegalStateException("planted");
			}).block());
		assertThat(decide("key", IMPATIENT).block()).isInstanceOf(Decision.Proceed.class);
	}

	@Test
	void anErrorOfTheStoreIsSignalled() {
		this.blocking.error = new LinkageError("of a driver");
		AtomicReference<@Nullable Throwable> signalled = new AtomicReference<>();
		decide("key", PATIENT).subscribe((decision) -> {
		}, signalled::set);
		await().untilAsserted(() -> assertThat(signalled.get()).isInstanceOf(LinkageError.class));
		this.engine.end(() -> {
			throw new OutOfMemoryError("planted");
		}).subscribe((done) -> {
		}, signalled::set);
		await().untilAsserted(() -> assertThat(signalled.get()).isInstanceOf(OutOfMemoryError.class));
	}

	@Test
	void anErrorOfWhatComesAfterReachesWhoeverSubscribed() {
		this.threads = threads(4, 10, false);
		this.engine = engine(this.memory, OnStoreFailure.REJECT);
		assertThatExceptionOfType(LinkageError.class).isThrownBy(() -> decide("key", PATIENT).doOnNext((decision) -> {
			throw new LinkageError("of a handler");
		}).block(Duration.ofSeconds(10)));
	}

	@Test
	void aThreadThatCannotBeStartedTakesNoRoomFromLaterClaims() throws InterruptedException {
		AtomicBoolean failing = new AtomicBoolean(true);
		ThreadFactory factory = (task) -> {
			if (failing.getAndSet(false)) {
				throw new OutOfMemoryError("unable to create native thread, as planned");
			}
			return StoreThreads.platformThreads().newThread(task);
		};
		StoreThreads narrow = new StoreThreads(1, 10, factory, true, 100);
		this.opened.add(narrow);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> narrow.decisions(80).claims().execute(() -> {
		}));
		CountDownLatch claimed = new CountDownLatch(1);
		narrow.decisions(80).claims().execute(claimed::countDown);
		assertThat(claimed.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void endsWithNothingIfThereIsNothingToSay() {
		assertThat(this.engine.end(() -> null).hasElement().block()).isFalse();
	}

	@Test
	void previewsWithoutAClaim() {
		this.engine = engine(this.memory, OnStoreFailure.REJECT);
		assertThat(this.engine.preview(attempt("key", PATIENT)).map(Preview::runs).block()).isTrue();
		assertThat(this.engine.engine().executionsInProgress()).isZero();
	}

	@Test
	void virtualThreadsAreBoundedToo() {
		if (Runtime.version().feature() < 21) {
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(StoreThreads::virtualThreads);
			return;
		}
		StoreThreads virtual = new StoreThreads(2, 0, StoreThreads.virtualThreads(), true);
		this.opened.add(virtual);
		this.threads = virtual;
		this.engine = engine(this.blocking, OnStoreFailure.REJECT);
		this.blocking.hang();
		decide("one", PATIENT).subscribe();
		decide("two", PATIENT).subscribe();
		assertThatExceptionOfType(IdempotencyStoreException.class)
			.isThrownBy(() -> decide("three", PATIENT).block(Duration.ofSeconds(10)));
	}

	/**
	 * Where Micrometer's context propagation is there, as it is here.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asksTheStoreWithWhatReactorsContextKnowsOfThreads(boolean automatic) {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler((context) -> true);
		List<String> seen = new CopyOnWriteArrayList<>();
		this.blocking.beforeClaim = () -> seen.add("claim in " + nameOfCurrent(registry));
		IdempotencyEngine traced = new IdempotencyEngine(this.blocking, EngineSettings.of("shop"), new MonotonicClock(),
				new EngineHooks(List.of((event) -> seen.add("told in " + nameOfCurrent(registry))), null,
						() -> nameOfCurrent(registry), null));
		this.opened.add(traced);
		this.engine = new ReactiveEngine(traced, this.threads);
		Observation observation = Observation.start("checkout", registry);
		if (automatic) {
			Hooks.enableAutomaticContextPropagation();
		}
		try {
			Execution execution = proceed(Mono.defer(() -> decide("key", PATIENT))
				.subscribeOn(Schedulers.single())
				.contextWrite((context) -> context.put(ObservationThreadLocalAccessor.KEY, observation))
				.block());
			execution.complete(null);
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
		assertThat(seen).startsWith("claim in checkout", "told in checkout");
		assertThat(this.memory.find(IdempotencyKey.of("pay", "key").within("shop")).orElseThrow().summary().trace())
			.isEqualTo("checkout");
		assertThat(decide("another", PATIENT).block()).isNotNull();
		assertThat(seen).endsWith("claim in nothing", "told in nothing");
	}

	private static String nameOfCurrent(ObservationRegistry registry) {
		Observation current = registry.getCurrentObservation();
		return (current != null) ? String.valueOf(current.getContext().getName()) : "nothing";
	}

	@Test
	void aListenerThatHangsHoldsNoSubscriberUp() {
		CountDownLatch hanging = new CountDownLatch(1);
		IdempotencyEngine slow = new IdempotencyEngine(this.memory, EngineSettings.of("shop"), new MonotonicClock(),
				List.of((event) -> {
					try {
						hanging.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
				}));
		this.opened.add(slow);
		this.engine = new ReactiveEngine(slow, this.threads);
		AtomicInteger decided = new AtomicInteger();
		for (int i = 0; i < 30; i++) {
			decide("key-" + i, PATIENT).onErrorComplete().subscribe((decision) -> decided.incrementAndGet()).dispose();
		}
		assertThat(decided).hasValue(0);
		hanging.countDown();
		await().until(() -> slow.executionsInProgress() == 0);
	}

	@Test
	void canBeAskedFromAThreadThatMustNotBlock() {
		assertThat(Mono.defer(() -> decide("key", PATIENT))
			.map((decision) -> Thread.currentThread().getName())
			.subscribeOn(Schedulers.single())
			.block()).startsWith("parallel-");
	}

	private Mono<Decision> decide(String key, OperationPolicy policy) {
		return this.engine.begin(attempt(key, policy), (decision) -> decision);
	}

	private static Attempt attempt(String key, OperationPolicy policy) {
		return new Attempt(IdempotencyKey.of("pay", key), Fingerprint.none(), policy);
	}

	private static Execution proceed(@Nullable Decision decision) {
		if (decision instanceof Decision.Proceed proceed) {
			return proceed.execution();
		}
		throw new AssertionError("%s".formatted(decision));
	}

	/**
	 * Hangs or fails when told to.
	 */
	private static final class BlockingStore extends ForwardingStore implements NotifyingStore {

		private final InMemoryIdempotencyStore memory;

		private final AtomicInteger claims = new AtomicInteger();

		private final AtomicInteger subscriptions = new AtomicInteger();

		private final List<String> askedOn = new CopyOnWriteArrayList<>();

		private volatile Runnable beforeClaim = () -> {
		};

		private volatile CountDownLatch gate = new CountDownLatch(0);

		private volatile @Nullable Error error;

		private BlockingStore(InMemoryIdempotencyStore memory) {
			super(memory);
			this.memory = memory;
		}

		private void hang() {
			this.gate = new CountDownLatch(1);
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			this.claims.incrementAndGet();
			this.beforeClaim.run();
			this.askedOn.add(Thread.currentThread().getName());
			try {
				this.gate.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			Error failure = this.error;
			if (failure != null) {
				throw failure;
			}
			return super.claim(key, fingerprint, terms);
		}

		@Override
		public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
			Subscription subscription = this.memory.subscribe(key, wakeUp);
			this.subscriptions.incrementAndGet();
			return () -> {
				this.subscriptions.decrementAndGet();
				subscription.close();
			};
		}

	}

}
