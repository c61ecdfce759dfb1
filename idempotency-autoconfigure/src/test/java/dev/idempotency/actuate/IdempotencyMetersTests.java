package dev.idempotency.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Conclusion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineHooks;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.MovableClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdempotencyMetersTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final OperationPolicy POLICY = OperationPolicy.of(Duration.ofHours(1), LEASE);

	private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "secret");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private @Nullable StoreVerb failing;

	private final FaultInjectingStore store = new FaultInjectingStore(
			new InMemoryIdempotencyStore(new MemoryLimits(1000, 1 << 20), this.clock, (key) -> {
			}), (verb) -> (verb == this.failing) ? Fault.BEFORE : Fault.NONE);

	private final IdempotencyMeters meters = new IdempotencyMeters(this.registry);

	private IdempotencyEngine engine = engine(Mode.ENFORCE, OnStoreFailure.REJECT);

	private IdempotencyEngine engine(Mode mode, OnStoreFailure onStoreFailure) {
		return new IdempotencyEngine(this.store, new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()),
				this.clock,
				new EngineHooks(List.of(this.meters), null, null, new IdempotencyStoreMeters(this.registry)));
	}

	private Decision begin(OperationPolicy policy) {
		return this.engine.begin(new Attempt(KEY, Fingerprint.none(), policy));
	}

	private Execution proceed() {
		return ((Decision.Proceed) begin(POLICY)).execution();
	}

	@Test
	void countsTakeoversAndWhatPeopleSettled() {
		this.meters.onEvent(new IdempotencyEvent.TakenOver(KEY, 2));
		this.meters.onEvent(new IdempotencyEvent.TakenOver(KEY, 3));
		this.meters.onEvent(new IdempotencyEvent.Settled("pay", RecordId.of(KEY), new Conclusion.NotDone()));
		this.meters.onEvent(
				new IdempotencyEvent.Settled("pay", RecordId.of(KEY), new Conclusion.Done(StoredResult.tombstone())));
		assertThat(this.registry.get("idempotency.takeovers").tag("operation", "pay").counter().count()).isEqualTo(2);
		for (String outcome : List.of("done", "not_done")) {
			assertThat(this.registry.get("idempotency.settled").tag("outcome", outcome).counter().count()).isEqualTo(1);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private double attempts(String outcome) {
		return attempts(outcome, true);
	}

	private double attempts(String outcome, boolean enforced) {
		return this.registry.get("idempotency.attempts")
			.tags("operation", "pay", "outcome", outcome, "enforced", String.valueOf(enforced))
			.counter()
			.count();
	}

	private double executions(String outcome) {
		return this.registry.get("idempotency.executions")
			.tags("operation", "pay", "outcome", outcome)
			.counter()
			.count();
	}

	@Test
	void countsWhatAttemptsCameTo() {
		Execution execution = proceed();
		begin(POLICY);
		execution.complete(bytes("paid"));
		begin(POLICY);
		begin(POLICY);
		this.engine.begin(new Attempt(KEY, Fingerprint.sha256(bytes("another")), POLICY));
		assertThat(attempts("executed")).isOne();
		assertThat(attempts("in_progress")).isOne();
		assertThat(attempts("replayed")).isEqualTo(2);
		assertThat(attempts("key_reused")).isOne();
		assertThat(executions("stored")).isOne();
	}

	@Test
	void countsReplaysThatHaveNothingToReplay() {
		proceed().complete(null);
		begin(POLICY);
		assertThat(executions("stored_without_result")).isOne();
		assertThat(attempts("not_replayable")).isOne();
	}

	@Test
	void countsReplaysBeyondTheirLimit() {
		proceed().complete(bytes("paid"));
		begin(POLICY.withMaxReplays(1));
		begin(POLICY.withMaxReplays(1));
		assertThat(attempts("replay_limit")).isOne();
	}

	@Test
	void countsAttemptsAfterACrashThatAreNotToRun() {
		// Nothing renews its claims any more
		this.engine.close();
		proceed();
		this.clock.advance(LEASE);
		begin(POLICY.withOnCrash(OnCrash.REFUSE));
		assertThat(attempts("outcome_unknown")).isOne();
	}

	@ParameterizedTest
	@EnumSource(names = { "KEY_MISSING", "KEY_INVALID", "BODY_TOO_LARGE", "BODY_UNREADABLE" })
	void countsWhatIsTurnedAway(Reason reason) {
		this.engine.reject("pay", reason);
		assertThat(attempts(reason.name().toLowerCase(Locale.ROOT))).isOne();
	}

	@Test
	void countsWhatWouldHaveBeenReplayedApart() {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT);
		proceed().complete(bytes("paid"));
		proceed();
		this.engine.reject("pay", Reason.KEY_MISSING);
		assertThat(attempts("executed", true)).isOne();
		assertThat(attempts("replayed", false)).isOne();
		assertThat(attempts("key_missing", false)).isOne();
	}

	@Test
	void countsAttemptsThatTheStoreFailed() {
		this.failing = StoreVerb.CLAIM;
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> begin(POLICY));
		assertThat(attempts("store_failed")).isOne();
		assertThat(store("claim", "error")).isOne();
		this.engine = engine(Mode.ENFORCE, OnStoreFailure.PROCEED);
		proceed();
		assertThat(attempts("unprotected")).isOne();
	}

	@Test
	void countsWhatBecameOfExecutions() {
		proceed().close();
		assertThat(executions("released")).isOne();
		// Nothing renews its claims any more
		this.engine.close();
		Execution stalled = proceed();
		this.clock.advance(LEASE);
		proceed().complete(bytes("paid"));
		stalled.complete(bytes("paid twice"));
		assertThat(executions("superseded")).isOne();
		// Whoever notices first, this thread or the one that renews leases, tells it
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.registry.find("idempotency.claims.lost").tag("operation", "pay").counters())
						.singleElement()
						.returns(1.0, Counter::count));
	}

	@Test
	void countsExecutionsThatTheStoreFailed() {
		Execution execution = proceed();
		this.failing = StoreVerb.COMPLETE;
		execution.complete(bytes("paid"));
		assertThat(executions("failed")).isOne();
		assertThat(store("complete", "error")).isOne();
	}

	@Test
	void countsExecutionsThatCouldNotGiveTheirKeyBack() {
		Execution execution = proceed();
		this.failing = StoreVerb.RELEASE;
		execution.close();
		assertThat(executions("not_released")).isOne();
	}

	@Test
	void countsExecutionsThatReportedThatTheirOutcomeIsUnknown() {
		Execution execution = proceed();
		execution.outcomeIsUnknown();
		execution.close();
		assertThat(executions("reported_unknown")).isOne();
		assertThat(store("abandon", "success")).isOne();
	}

	@Test
	void takesTheTimeOfTheStoreForEachVerb() {
		proceed().complete(bytes("paid"));
		assertThat(store("claim", "success")).isOne();
		assertThat(store("complete", "success")).isOne();
		assertThat(store("renew", "success")).isZero();
		assertThat(this.registry.get("idempotency.store").tag("verb", "claim").timer().max(TimeUnit.SECONDS))
			.isLessThan(60);
		assertThat(this.registry.find("idempotency.store").timers()).hasSize(StoreVerb.values().length * 2);
	}

	private long store(String verb, String outcome) {
		return this.registry.get("idempotency.store").tags("verb", verb, "outcome", outcome).timer().count();
	}

	@Test
	void showsHowManyKeysAreHeld() {
		new IdempotencyEngineMeters(this.engine).bindTo(this.registry);
		assertThat(gauge("idempotency.in.progress")).isZero();
		Execution execution = proceed();
		assertThat(gauge("idempotency.in.progress")).isOne();
		execution.complete(bytes("paid"));
		assertThat(gauge("idempotency.in.progress")).isZero();
		assertThat(gauge("idempotency.waiting")).isZero();
	}

	@Test
	void showsLeasesThatAreCloseToTheirEnd() {
		new IdempotencyEngineMeters(this.engine).bindTo(this.registry);
		IdempotencyHealthIndicator health = new IdempotencyHealthIndicator("memory", this.engine, this.clock);
		this.failing = StoreVerb.RENEW;
		Execution execution = proceed();
		this.clock.advance(LEASE.dividedBy(2));
		assertThat(gauge("idempotency.leases.late")).isZero();
		assertThat(health.health().getDetails()).doesNotContainKey("lateLeases");
		this.clock.advance(LEASE.dividedBy(4));
		assertThat(gauge("idempotency.leases.late")).isOne();
		assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
		assertThat(health.health().getDetails()).containsEntry("lateLeases", Map.of("the store", 1));
		execution.complete(bytes("paid"));
		assertThat(gauge("idempotency.leases.late")).isZero();
	}

	private double gauge(String name) {
		return this.registry.get(name).gauge().value();
	}

	@Test
	void givesOnlySoManyOperationsATagOfTheirOwn() {
		for (int i = 0; i < 1000; i++) {
			this.engine.reject("tenant " + i, Reason.KEY_MISSING);
		}
		this.engine.reject("tenant 0", Reason.KEY_MISSING);
		this.engine.reject("tenant 999", Reason.KEY_MISSING);
		List<String> operations = operations();
		assertThat(operations).hasSize(IdempotencyMeters.MAX_OPERATIONS + 1)
			.contains("tenant 0", "tenant 199", "other")
			.doesNotContain("tenant 200");
		assertThat(this.registry.get("idempotency.attempts").tag("operation", "other").counter().count())
			.isEqualTo(801);
		assertThat(this.registry.get("idempotency.attempts").tag("operation", "tenant 0").counter().count())
			.isEqualTo(2);
	}

	@Test
	void takesAnotherNumberOfOperations() {
		IdempotencyMeters few = new IdempotencyMeters(this.registry, 1);
		IdempotencyEngine engine = new IdempotencyEngine(this.store, EngineSettings.of("shop"), this.clock,
				List.of(few));
		engine.reject("pay", Reason.KEY_MISSING);
		engine.reject("refund", Reason.KEY_MISSING);
		assertThat(operations()).containsExactlyInAnyOrder("pay", "other");
		assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyMeters(this.registry, 0));
	}

	private List<String> operations() {
		return this.registry.find("idempotency.attempts")
			.counters()
			.stream()
			.map((counter) -> counter.getId().getTag("operation"))
			.flatMap(Stream::ofNullable)
			.toList();
	}

	@Test
	void tellsNothingOfKeysAndResults() {
		proceed().complete(bytes("a secret result"));
		begin(POLICY);
		assertThat(this.registry.getMeters()).flatExtracting((meter) -> meter.getId().getTags())
			.extracting(Tag::getValue)
			.noneMatch((value) -> value.contains("secret") || value.contains(KEY.within("shop").hash()));
	}

}
