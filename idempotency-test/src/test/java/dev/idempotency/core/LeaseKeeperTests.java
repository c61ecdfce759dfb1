package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.fixtures.DeadlyAppender;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.fixtures.NewThreads;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.OutputCapture;
import dev.idempotency.fixtures.Unchecked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCapture.class)
class LeaseKeeperTests extends EngineFixture {

	private final AtomicInteger renewals = new AtomicInteger();

	LeaseKeeperTests() {
		countRenewals(Fault.NONE);
	}

	private void countRenewals(Fault fault) {
		this.faults = (verb) -> {
			if (verb == StoreVerb.RENEW) {
				this.renewals.incrementAndGet();
				return fault;
			}
			return Fault.NONE;
		};
	}

	@Test
	void renewsNothingBeforeHalfOfTheLease() {
		proceed();
		this.clock.advance(LEASE.dividedBy(2).minusMillis(1));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(0);
	}

	@Test
	void renewsOncePerHalfLease() {
		proceed();
		for (int i = 1; i <= 5; i++) {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
			this.engine.renewLeases();
			assertThat(this.renewals).hasValue(i);
		}
	}

	@Test
	void renewsNothingThatIsFinished() {
		proceed().complete(bytes("paid"));
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(0);
	}

	@Test
	void renewsNothingThatWasGivenBack() {
		proceed().close();
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(0);
	}

	@Test
	void triesAgainSoonWhenTheStoreFails() {
		proceed();
		this.clock.advance(LEASE.dividedBy(2));
		countRenewals(Fault.BEFORE);
		this.engine.renewLeases();
		countRenewals(Fault.NONE);
		this.clock.advance(LEASE.dividedBy(8));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(2);
		this.clock.advance(LEASE.dividedBy(2));
		assertThat(begin().reason()).as("renewed in time").isEqualTo(Reason.IN_PROGRESS);
	}

	/**
	 * It may have to wait for a connection.
	 */
	@Test
	void renewsUntilTheStoreHasAnsweredACompletion() {
		Execution execution = proceed();
		List<Decision> retries = new ArrayList<>();
		this.faults = (verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				for (int i = 0; i < 4; i++) {
					this.clock.advance(LEASE.dividedBy(2));
					this.engine.renewLeases();
				}
				retries.add(begin());
			}
			return Fault.NONE;
		};
		assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(retries).extracting(Decision::reason).containsExactly(Reason.IN_PROGRESS);
		assertThat(this.engine.executionsInProgress()).isZero();
	}

	@Test
	void doesNotTakeACompletionForALoss() {
		LateRenewals late = new LateRenewals(this.memory);
		this.engine = engine(late, EngineSettings.of("shop"));
		late.afterCompletion = () -> {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
		};
		assertThat(proceed().complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(late.answers).containsExactly(false);
		assertThat(events(IdempotencyEvent.ClaimLost.class)).isEmpty();
	}

	@Test
	void tellsOfALossAlsoWhereTheRenewalThatSawItCameDuringTheCompletion() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().complete(bytes("paid by another"));
		this.faults = (verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				this.engine.renewLeases();
			}
			return Fault.NONE;
		};
		assertThat(late.complete(bytes("too late")).kind()).isEqualTo(Completion.Kind.SUPERSEDED);
		assertThat(events(IdempotencyEvent.ClaimLost.class)).hasSize(1);
	}

	@Test
	void renewsNoMoreAfterACompletionThatFailed() {
		Execution execution = proceed();
		fail(StoreVerb.COMPLETE, Fault.BEFORE);
		assertThat(execution.complete(bytes("paid")).kind()).isEqualTo(Completion.Kind.FAILED);
		countRenewals(Fault.NONE);
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(0);
	}

	@Test
	void tellsOnceThatAClaimIsLostAndRenewsItNoMore() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().complete(bytes("paid by another"));
		this.engine.renewLeases();
		this.clock.advance(LEASE);
		this.engine.renewLeases();
		late.complete(bytes("too late"));
		assertThat(events(IdempotencyEvent.ClaimLost.class)).hasSize(1);
		assertThat(this.renewals).hasValue(1);
	}

	@Test
	void keepsAWholeCrowdOfExecutionsAlive() {
		List<Execution> crowd = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			crowd.add(
					proceed(this.engine.begin(new Attempt(IdempotencyKey.of("pay", "key " + i), FINGERPRINT, POLICY))));
			this.clock.advance(Duration.ofMillis(10));
		}
		for (int i = 0; i < 20; i++) {
			this.clock.advance(LEASE.dividedBy(4));
			this.engine.renewLeases();
		}
		assertThat(crowd).allSatisfy(
				(execution) -> assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true)));
		assertThat(events(IdempotencyEvent.ClaimLost.class)).isEmpty();
	}

	@Test
	void keepsAnExecutionAliveInRealTimeManyLeasesLong() {
		AtomicInteger real = new AtomicInteger();
		MonotonicClock time = new MonotonicClock();
		FaultInjectingStore counting = new FaultInjectingStore(MemoryStores.with(time), (verb) -> {
			if (verb == StoreVerb.RENEW) {
				real.incrementAndGet();
			}
			return Fault.NONE;
		});
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(1));
		try (IdempotencyEngine engine = new IdempotencyEngine(counting, EngineSettings.of("shop"), time, List.of())) {
			Execution execution = proceed(engine.begin(new Attempt(KEY, FINGERPRINT, brief)));
			await().pollInterval(Duration.ofMillis(10)).until(() -> {
				assertThat(engine.begin(new Attempt(KEY, FINGERPRINT, brief)).reason()).isEqualTo(Reason.IN_PROGRESS);
				return real.get() >= 4;
			});
			assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		}
	}

	@Test
	void looksAtItsLeasesAtMostSixteenTimesPerLeaseHoweverManyExecutionsCome() {
		int kept = 1000;
		Duration lease = Duration.ofMillis(400);
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), lease);
		KeeperWatchingClock time = new KeeperWatchingClock();
		try (IdempotencyEngine engine = new IdempotencyEngine(this.memory, EngineSettings.of("shop"), time,
				List.of())) {
			for (int i = 0; i < kept; i++) {
				proceed(engine.begin(new Attempt(IdempotencyKey.of("long", "key " + i), FINGERPRINT, brief)));
			}
			time.looks.set(0);
			long start = time.millis();
			Race.run(4, () -> {
				for (int i = 0; time.millis() - start < 3 * lease.toMillis(); i++) {
					String key = Thread.currentThread().getName() + " " + i;
					proceed(engine.begin(new Attempt(IdempotencyKey.of("quick", key), FINGERPRINT, brief))).close();
				}
				return true;
			});
			long leases = (time.millis() - start) / lease.toMillis() + 1;
			// It reads the clock once for each lease it looks at, and once more to renew
			// it
			assertThat(time.looks.get()).isPositive().isLessThan((int) (leases * 16 * 2 * kept));
		}
	}

	/**
	 * An error that escapes from whoever logs what went wrong must not be the end of the
	 * thread: leases that exist already are renewed again.
	 */
	@Test
	void comesBackAfterAnErrorInItsOwnLogging() {
		KeeperWatchingClock time = new KeeperWatchingClock();
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(500));
		try (DeadlyAppender logging = new DeadlyAppender(IdempotencyEngine.class, "idempotency-lease-keeper");
				IdempotencyEngine engine = new IdempotencyEngine(this.store, EngineSettings.of("shop"), time,
						List.of())) {
			proceed(engine.begin(new Attempt(KEY, FINGERPRINT, brief)));
			await().until(() -> this.renewals.get() > 1);
			logging.fail(true);
			time.deadly = true;
			await().until(() -> logging.errors() > 0);
			logging.fail(false);
			time.deadly = false;
			int before = this.renewals.get();
			await().untilAsserted(() -> assertThat(this.renewals).hasValueGreaterThan(before + 1));
		}
	}

	@Test
	void renewsInRealTimeAfterTheEngineWasClosedUntilTheLastExecutionHasEnded() {
		MonotonicClock time = new MonotonicClock();
		NewThreads keepers = new NewThreads("idempotency-lease-keeper");
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(400));
		FaultInjectingStore counting = new FaultInjectingStore(MemoryStores.with(time),
				(verb) -> this.faults.next(verb));
		IdempotencyEngine engine = new IdempotencyEngine(counting, EngineSettings.of("shop"), time, List.of());
		Execution before = proceed(engine.begin(new Attempt(KEY, FINGERPRINT, brief)));
		engine.close();
		engine.close();
		IdempotencyKey another = IdempotencyKey.of("pay", "another");
		Execution after = proceed(engine.begin(new Attempt(another, FINGERPRINT, brief)));
		await().until(() -> this.renewals.get() >= 6);
		assertThat(before.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(after.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		await().until(() -> keepers.alive().isEmpty());
		// Long after the thread is gone, too
		Execution late = proceed(engine.begin(new Attempt(IdempotencyKey.of("pay", "a third"), FINGERPRINT, brief)));
		this.renewals.set(0);
		await().until(() -> this.renewals.get() >= 2);
		assertThat(late.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		await().until(() -> keepers.alive().isEmpty());
	}

	@Test
	void theThreadOfAnEngineWithNothingInProgressEndsWithIt() {
		NewThreads keepers = new NewThreads("idempotency-lease-keeper");
		IdempotencyEngine engine = new IdempotencyEngine(this.memory, EngineSettings.of("shop"), new MonotonicClock(),
				List.of());
		proceed(engine.begin(new Attempt(KEY, FINGERPRINT, POLICY))).close();
		assertThat(keepers.alive()).hasSize(1);
		engine.close();
		await().until(() -> keepers.alive().isEmpty());
	}

	@Test
	void givesUpWhenTheShutdownIsOver(CapturedOutput output) {
		this.engine = engine(this.store, closing(LEASE.multipliedBy(2)));
		proceed();
		this.engine.close();
		for (int i = 1; i <= 3; i++) {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
			assertThat(this.renewals).hasValue(i);
		}
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(3);
		assertThat(this.engine.executionsInProgress()).isZero();
		assertThat(output).containsOnlyOnce("Shut down while 1 executions are in progress")
			.containsOnlyOnce("Gave up on 1 executions");
		this.clock.advance(LEASE.dividedBy(2));
		assertThat(begin()).as("its lease is over").isInstanceOf(Decision.Proceed.class);
	}

	@Test
	void saysNothingOfAStoreThatIsClosedDuringAShutdown(CapturedOutput output) {
		Execution execution = proceed();
		this.engine.close();
		countRenewals(Fault.BEFORE);
		for (int i = 0; i < 4; i++) {
			this.clock.advance(LEASE.dividedBy(8));
			this.engine.renewLeases();
		}
		assertThat(this.renewals).hasPositiveValue();
		assertThat(events(IdempotencyEvent.StoreFailed.class)).isEmpty();
		assertThat(output).doesNotContain("failed to");
		execution.close();
	}

	@Test
	void nothingBeginsWhenConnectionsAreAboutToBeClosed() {
		Execution running = proceed();
		assertThat(this.engine.pauseIfIdle()).isFalse();
		Attempt other = new Attempt(IdempotencyKey.of("pay", "another"), FINGERPRINT, POLICY);
		proceed(this.engine.begin(other)).close();
		running.complete(bytes("paid"));
		assertThat(this.engine.pauseIfIdle()).isTrue();
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> this.engine.begin(other));
		assertThat(replayed(begin())).isEqualTo("paid");
		assertThat(this.engine.executionsInProgress()).isZero();
		this.engine.resume();
		assertThat(proceed(this.engine.begin(other)).attempt()).as("it was given back").isEqualTo(1);
	}

	@Test
	void renewsManyLeasesWithFewCallsThoseThatExpireFirstBeforeTheOthers() {
		Batches batches = new Batches(this.memory);
		this.engine = engine(batches, EngineSettings.of("shop"));
		List<Execution> crowd = crowd(1200);
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(batches.sizes).containsExactly(500, 500, 200);
		assertThat(batches.asked).containsExactlyElementsOf(crowd.stream().map(Execution::key).toList());
	}

	/**
	 * Each begins a little after the one before.
	 */
	private List<Execution> crowd(int size) {
		List<Execution> crowd = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			this.clock.advance(Duration.ofMillis(1));
			crowd.add(
					proceed(this.engine.begin(new Attempt(IdempotencyKey.of("pay", "key " + i), FINGERPRINT, POLICY))));
		}
		return crowd;
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 249, 498, 499 })
	void oneClaimThatCannotBeRenewedDoesNotKeepTheOthersFromIt(int poisonous) {
		Batches batches = new Batches(this.memory);
		this.engine = engine(batches, EngineSettings.of("shop"));
		List<Execution> crowd = crowd(500);
		IdempotencyKey poison = crowd.get(poisonous).key();
		batches.failing = poison::equals;
		for (int i = 0; i < 4; i++) {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
		}
		crowd.removeIf((execution) -> execution.key().equals(poison));
		assertThat(crowd).allSatisfy(
				(execution) -> assertThat(this.engine.begin(new Attempt(execution.key(), FINGERPRINT, POLICY)).reason())
					.isEqualTo(Reason.IN_PROGRESS));
		assertThat(this.engine.lateLeases()).containsValue(1);
	}

	@Test
	void asksAPlaceThatIsDownFewTimes() {
		Batches batches = new Batches(this.memory);
		this.engine = engine(batches, EngineSettings.of("shop"));
		crowd(5000);
		batches.failing = (key) -> true;
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(batches.sizes).containsExactly(500, 1, 1);
	}

	@Test
	void aPlaceThatHangsDelaysNoOther() {
		MonotonicClock time = new MonotonicClock();
		CountDownLatch hangs = new CountDownLatch(1);
		Batches batches = new Batches(MemoryStores.with(time));
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(1));
		try (IdempotencyEngine engine = new IdempotencyEngine(batches, EngineSettings.of("shop"), time, List.of())) {
			for (String place : List.of("ill", "well")) {
				proceed(engine.begin(new Attempt(IdempotencyKey.of(place, "key"), FINGERPRINT, brief)));
			}
			batches.place = (claim) -> claim.key().scope().operation();
			batches.failing = (key) -> {
				if (key.scope().operation().equals("ill")) {
					Unchecked.run(() -> hangs.await());
				}
				return false;
			};
			Attempt retry = new Attempt(IdempotencyKey.of("well", "key"), FINGERPRINT, brief);
			await().pollInterval(Duration.ofMillis(10)).until(() -> {
				assertThat(engine.begin(retry).reason()).isEqualTo(Reason.IN_PROGRESS);
				return batches.asked.size() >= 5;
			});
			assertThat(engine.lateLeases()).isEqualTo(Map.of("ill", 1));
		}
		finally {
			hangs.countDown();
		}
	}

	@Test
	void warnsBeforeALeaseExpiresThatCannotBeRenewed(CapturedOutput output) {
		Batches batches = new Batches(this.memory);
		batches.place = (claim) -> "node 7";
		this.engine = engine(batches, EngineSettings.of("shop"));
		crowd(3);
		batches.failing = (key) -> true;
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(this.engine.lateLeases()).isEmpty();
		assertThat(output).doesNotContain("node 7");
		this.clock.advance(LEASE.dividedBy(4));
		this.engine.renewLeases();
		assertThat(this.engine.lateLeases()).isEqualTo(Map.of("node 7", 3));
		assertThat(output).containsOnlyOnce("3 leases at node 7 could not be renewed");
		batches.failing = (key) -> false;
		this.clock.advance(LEASE.dividedBy(16));
		this.engine.renewLeases();
		this.engine.renewLeases();
		assertThat(this.engine.lateLeases()).isEmpty();
		assertThat(output).containsOnlyOnce("3 leases at node 7")
			.containsOnlyOnce("No lease at node 7 is late any more");
	}

	@Test
	void renewsOnItsOwnThreadIfThereCanBeNoOther() {
		this.engine = new IdempotencyEngine(this.store, EngineSettings.of("shop"), this.clock,
				new EngineHooks(List.of(), null, null, null), (task) -> new Thread(() -> {
				}), (task) -> {
					throw new OutOfMemoryError("unable to create native thread, as planned");
				});
		proceed();
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.renewLeases();
		assertThat(this.renewals).hasValue(1);
	}

	private static EngineSettings closing(Duration afterClose) {
		return new EngineSettings("shop", EngineSettings.Mode.ENFORCE, EngineSettings.OnStoreFailure.REJECT,
				ResultPacking.none(), afterClose, Integer.MAX_VALUE);
	}

	/**
	 * A store that has something done right after it has completed a key.
	 */
	private static final class LateRenewals extends ForwardingStore {

		private final List<Boolean> answers = new ArrayList<>();

		private Runnable afterCompletion = () -> {
		};

		private LateRenewals(IdempotencyStore store) {
			super(store);
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			boolean renewed = super.renew(claim, lease);
			this.answers.add(renewed);
			return renewed;
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			boolean completed = super.complete(claim, result, atLeast);
			this.afterCompletion.run();
			return completed;
		}

	}

	/**
	 * A store that renews many claims at once, unless one of them makes it fail.
	 */
	private static final class Batches extends ForwardingStore implements BatchRenewingStore {

		private final List<Integer> sizes = new CopyOnWriteArrayList<>();

		private final List<IdempotencyKey> asked = new CopyOnWriteArrayList<>();

		private volatile Predicate<IdempotencyKey> failing = (key) -> false;

		private volatile Function<Claim, @Nullable Object> place = (claim) -> null;

		private Batches(IdempotencyStore store) {
			super(store);
		}

		@Override
		public @Nullable Object renewalPlace(Claim claim) {
			return this.place.apply(claim);
		}

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			this.sizes.add(claims.size());
			if (claims.stream().map(Claim::key).anyMatch(this.failing)) {
				throw new IllegalStateException("as planned");
			}
			this.asked.addAll(claims.stream().map(Claim::key).toList());
			return claims.stream().filter((claim) -> !renew(claim, lease)).collect(Collectors.toSet());
		}

	}

	/**
	 * Real time that counts how often the thread that renews leases asks for it, or fails
	 * it.
	 */
	private static final class KeeperWatchingClock extends Clock {

		private final Clock clock = new MonotonicClock();

		private final AtomicInteger looks = new AtomicInteger();

		private volatile boolean deadly;

		@Override
		public long millis() {
			if (Thread.currentThread().getName().equals("idempotency-lease-keeper")) {
				this.looks.incrementAndGet();
				if (this.deadly) {
					throw new NoClassDefFoundError("as planned");
				}
			}
			return this.clock.millis();
		}

		@Override
		public Instant instant() {
			return Instant.ofEpochMilli(millis());
		}

		@Override
		public ZoneId getZone() {
			return this.clock.getZone();
		}

		@Override
		public Clock withZone(ZoneId zone) {
			throw new UnsupportedOperationException();
		}

	}

}
