package dev.idempotency.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineHooks;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.MovableClock;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyObserverTests {

	private static final String FIRST = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "secret");

	private static final Attempt ATTEMPT = new Attempt(KEY, Fingerprint.none(),
			OperationPolicy.of(Duration.ofHours(1), LEASE), FIRST, null, null);

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private @Nullable StoreVerb failing;

	private final FaultInjectingStore store = new FaultInjectingStore(
			new InMemoryIdempotencyStore(new MemoryLimits(1000, 1 << 20), this.clock, (key) -> {
			}), (verb) -> (verb == this.failing) ? Fault.BEFORE : Fault.NONE);

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final Ended ended = new Ended();

	private IdempotencyEngine engine = engine(Mode.ENFORCE, OnStoreFailure.REJECT, null);

	IdempotencyObserverTests() {
		this.registry.observationConfig().observationHandler(this.ended);
	}

	private IdempotencyEngine engine(Mode mode, OnStoreFailure onStoreFailure,
			@Nullable IdempotencyObservationConvention convention) {
		return new IdempotencyEngine(this.store, new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()),
				this.clock, new EngineHooks(List.of(), new IdempotencyObserver(this.registry, convention), null, null));
	}

	private Execution proceed() {
		return ((Decision.Proceed) this.engine.begin(ATTEMPT)).execution();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void observesAnExecutionToItsEnd() {
		Execution execution = proceed();
		assertThat(this.ended.contexts).isEmpty();
		execution.complete(bytes("a secret result"));
		Observation.Context context = this.ended.only();
		assertThat(context.getName()).isEqualTo("idempotency.operation");
		assertThat(context.getLowCardinalityKeyValues()).containsExactlyInAnyOrder(KeyValue.of("operation", "pay"),
				KeyValue.of("outcome", "executed"), KeyValue.of("enforced", "true"),
				KeyValue.of("completion", "stored"));
		assertThat(context.getHighCardinalityKeyValues()).containsExactlyInAnyOrder(
				KeyValue.of("idempotency.key", KEY.within("shop").hash()), KeyValue.of("idempotency.attempt", "1"));
		assertThat(context.getAllKeyValues()).noneMatch((value) -> value.getValue().contains("secret"));
	}

	@Test
	void observesAReplayUntilItIsDecided() {
		proceed().complete(bytes("paid"));
		this.ended.contexts.clear();
		this.engine.begin(ATTEMPT);
		Observation.Context context = this.ended.only();
		assertThat(context.getLowCardinalityKeyValues()).contains(KeyValue.of("outcome", "replayed"),
				KeyValue.of("completion", "none"));
		assertThat(context.getHighCardinalityKeyValues()).containsExactlyInAnyOrder(
				KeyValue.of("idempotency.key", KEY.within("shop").hash()),
				KeyValue.of("idempotency.first.trace", FIRST.substring(0, 32)));
	}

	@Test
	void observesWhatWouldHaveBeenReplayed() {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT, null);
		proceed().complete(bytes("paid"));
		this.ended.contexts.clear();
		proceed().complete(bytes("paid again"));
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("outcome", "replayed"),
				KeyValue.of("enforced", "false"));
	}

	@Test
	void observesAnExecutionThatGivesItsKeyBack() {
		proceed().close();
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("completion", "released"));
	}

	@Test
	void endsOnceAlsoForAnExecutionThatComesToItsEndAfterAll() {
		Execution execution = proceed();
		execution.letLeaseRunOut();
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("completion", "abandoned"));
		execution.complete(bytes("paid"));
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("completion", "abandoned"));
	}

	@Test
	void observesAStoreThatFails() {
		this.failing = StoreVerb.CLAIM;
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::proceed);
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("outcome", "store_failed"));
		assertThat(this.ended.only().getError()).isInstanceOf(IdempotencyStoreException.class);
	}

	@Test
	void observesAStoreThatFailsAtTheEnd() {
		Execution execution = proceed();
		this.failing = StoreVerb.COMPLETE;
		execution.complete(bytes("paid"));
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("completion", "failed"));
		assertThat(this.ended.only().getError()).isInstanceOf(IdempotencyStoreException.class);
	}

	@Test
	void observesWhatRunsWithoutProtection() {
		this.engine = engine(Mode.ENFORCE, OnStoreFailure.PROCEED, null);
		this.failing = StoreVerb.CLAIM;
		proceed().complete(bytes("paid"));
		assertThat(this.ended.only().getLowCardinalityKeyValues()).contains(KeyValue.of("outcome", "unprotected"));
	}

	@Test
	void neverBecomesTheCurrentObservation() {
		Observation outer = Observation.start("outer", this.registry);
		try (Observation.Scope scope = outer.openScope()) {
			Execution execution = proceed();
			assertThat(this.registry.getCurrentObservationScope()).isSameAs(scope);
			execution.complete(bytes("paid"));
			assertThat(this.registry.getCurrentObservationScope()).isSameAs(scope);
		}
		assertThat(this.ended.only().getParentObservation()).isSameAs(outer);
		assertThat(this.registry.getCurrentObservationScope()).isNull();
	}

	@Test
	void takesTheNamesOfTheApplication() {
		this.engine = engine(Mode.ENFORCE, OnStoreFailure.REJECT, new DefaultIdempotencyObservationConvention() {

			@Override
			public String getName() {
				return "own.name";
			}

		});
		proceed().complete(bytes("paid"));
		assertThat(this.ended.only().getName()).isEqualTo("own.name");
	}

	@Test
	void followsNothingThatNobodyObserves() {
		assertThat(new IdempotencyObserver(ObservationRegistry.NOOP, null).begin(KEY)).isNull();
		this.registry.observationConfig().observationPredicate((name, context) -> !name.startsWith("idempotency"));
		assertThat(new IdempotencyObserver(this.registry, null).begin(KEY)).isNull();
	}

	@Test
	void givesMetersTheSameTagsAtTheBeginningAndAtTheEnd() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		Execution execution = proceed();
		assertThat(meters.get("idempotency.operation.active").tag("operation", "pay").longTaskTimer().activeTasks())
			.isOne();
		execution.complete(bytes("paid"));
		assertThat(meters.get("idempotency.operation.active").longTaskTimer().activeTasks()).isZero();
		assertThat(meters.get("idempotency.operation").tag("completion", "stored").timer().count()).isOne();
	}

	@Test
	void readsTracesOfItsOwnOnly() {
		assertThat(TraceReference.parse(FIRST)).isNotNull().hasToString(FIRST);
		assertThat(TraceReference.parse(null)).isNull();
		assertThat(TraceReference.parse("")).isNull();
		assertThat(TraceReference.parse("-")).isNull();
		assertThat(TraceReference.parse("0af765")).isNull();
		assertThat(TraceReference.parse("0af765-<script>")).isNull();
	}

	/**
	 * Remembers what has ended.
	 */
	private static final class Ended implements ObservationHandler<IdempotencyObservationContext> {

		private final List<Observation.Context> contexts = new ArrayList<>();

		@Override
		public void onStop(IdempotencyObservationContext context) {
			this.contexts.add(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof IdempotencyObservationContext;
		}

		private Observation.Context only() {
			assertThat(this.contexts).hasSize(1);
			return this.contexts.get(0);
		}

	}

}
