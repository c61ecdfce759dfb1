package dev.idempotency.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
		assertThat(begin()).as("renewed in time").isInstanceOf(Decision.InProgress.class);
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
				(execution) -> assertThat(execution.complete(bytes("paid"))).isEqualTo(new Completion.Stored(true)));
		assertThat(events(IdempotencyEvent.ClaimLost.class)).isEmpty();
	}

	@Test
	void keepsAnExecutionAliveInRealTimeManyLeasesLong() {
		AtomicInteger real = new AtomicInteger();
		MonotonicClock time = new MonotonicClock();
		FaultInjectingStore counting = new FaultInjectingStore(
				new InMemoryIdempotencyStore(new MemoryLimits(10, 1 << 20), time, (key) -> {
				}), (verb) -> {
					if (verb == StoreVerb.RENEW) {
						real.incrementAndGet();
					}
					return Fault.NONE;
				});
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(1));
		try (IdempotencyEngine engine = new IdempotencyEngine(counting, EngineSettings.of("shop"), time, List.of())) {
			Execution execution = proceed(engine.begin(new Attempt(KEY, FINGERPRINT, brief)));
			await().pollInterval(Duration.ofMillis(10)).until(() -> {
				assertThat(engine.begin(new Attempt(KEY, FINGERPRINT, brief))).isInstanceOf(Decision.InProgress.class);
				return real.get() >= 4;
			});
			assertThat(execution.complete(bytes("paid"))).isEqualTo(new Completion.Stored(true));
		}
	}

	@Test
	void renewsNoMoreWhenTheEngineIsClosed() {
		MonotonicClock time = new MonotonicClock();
		OperationPolicy brief = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(50));
		IdempotencyEngine engine = new IdempotencyEngine(
				new InMemoryIdempotencyStore(new MemoryLimits(10, 1 << 20), time, (key) -> {
				}), EngineSettings.of("shop"), time, List.of());
		proceed(engine.begin(new Attempt(KEY, FINGERPRINT, brief)));
		engine.close();
		await().until(() -> engine.begin(new Attempt(KEY, FINGERPRINT, brief)) instanceof Decision.Proceed);
	}

}
