package dev.idempotency.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OnCrash;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EngineHooksTests extends EngineFixture {

	private static final String FIRST = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

	private final List<IdempotencyEvent> followed = new ArrayList<>();

	private final List<String> asked = new ArrayList<>();

	private final AtomicLong nanos = new AtomicLong();

	private @Nullable String trace;

	private void watch(EngineSettings settings, EngineHooks hooks) {
		this.engine = new IdempotencyEngine(this.store, settings, this.clock, hooks, (task) -> new Thread(() -> {
		}), Runnable::run);
	}

	private void follow(Mode mode, OnStoreFailure onStoreFailure) {
		watch(new EngineSettings("shop", mode, onStoreFailure, ResultPacking.none()),
				new EngineHooks(List.of(this.events::add), (key) -> this.followed::add, null, null));
	}

	private void follow() {
		follow(Mode.ENFORCE, OnStoreFailure.REJECT);
	}

	private void trace() {
		watch(EngineSettings.of("shop"), new EngineHooks(List.of(), null, () -> this.trace, null));
	}

	private List<Class<?>> followed() {
		return this.followed.stream().<Class<?>>map(Object::getClass).toList();
	}

	@Test
	void followsAnExecutionToItsEnd() {
		follow();
		Execution execution = proceed();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class);
		execution.complete(bytes("paid"));
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Finished.class);
		assertThat(this.events).isEqualTo(this.followed);
	}

	@Test
	void followsAnExecutionThatGivesItsKeyBack() {
		follow();
		proceed().close();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Released.class);
	}

	@Test
	void followsAnExecutionThatCannotGiveItsKeyBack() {
		follow();
		Execution execution = proceed();
		fail(StoreVerb.RELEASE, Fault.BEFORE);
		execution.close();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.NotReleased.class);
	}

	@Test
	void followsAnExecutionThatReportsThatItsOutcomeIsUnknown() {
		follow();
		Execution execution = proceed();
		execution.outcomeIsUnknown();
		execution.close();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.OutcomeUnknown.class);
		follow();
		Execution next = proceed();
		next.outcomeIsUnknown();
		fail(StoreVerb.ABANDON, Fault.BEFORE);
		next.close();
		assertThat(followed()).endsWith(IdempotencyEvent.NotReleased.class);
	}

	@Test
	void followsAnExecutionThatNobodyKnowsTheEndOf() {
		follow();
		Execution execution = proceed();
		execution.letLeaseRunOut();
		execution.letLeaseRunOut();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Abandoned.class);
		execution.complete(bytes("paid after all"));
		execution.letLeaseRunOut();
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Abandoned.class,
				IdempotencyEvent.Finished.class);
	}

	@Test
	void followsEachAttemptByItself() {
		List<List<IdempotencyEvent>> attempts = new ArrayList<>();
		watch(EngineSettings.of("shop"), new EngineHooks(List.of(), (key) -> {
			List<IdempotencyEvent> attempt = new ArrayList<>();
			attempts.add(attempt);
			return attempt::add;
		}, null, null));
		Execution execution = proceed();
		begin();
		execution.complete(bytes("paid"));
		assertThat(attempts).hasSize(2);
		assertThat(attempts.get(0)).hasSize(2);
		assertThat(attempts.get(1)).singleElement().isInstanceOf(IdempotencyEvent.Decided.class);
	}

	@Test
	void tellsThatNothingCouldBeDecided() {
		follow();
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::begin);
		assertThat(followed()).containsExactly(IdempotencyEvent.Undecided.class);
		assertThat(events(IdempotencyEvent.Undecided.class)).hasSize(1);
	}

	@Test
	void followsAnAttemptThatRunsWithoutProtection() {
		follow(Mode.ENFORCE, OnStoreFailure.PROCEED);
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		proceed().complete(bytes("paid"));
		assertThat(followed()).containsExactly(IdempotencyEvent.RanUnprotected.class);
	}

	@Test
	void doesNotMindWhoeverFails() {
		watch(EngineSettings.of("shop"), new EngineHooks(List.of((event) -> {
			throw new IllegalStateException("listener");
		}), (key) -> {
			throw new IllegalStateException("observer");
		}, () -> {
			throw new IllegalStateException("traces");
		}, new StoreTimer() {

			@Override
			public long nanoTime() {
				throw new IllegalStateException("timer");
			}

			@Override
			public void asked(StoreVerb verb, long nanos, boolean failed) {
				throw new IllegalStateException("timer");
			}

		}));
		assertThat(proceed().complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void doesNotMindAFollowerThatFails() {
		watch(EngineSettings.of("shop"), new EngineHooks(List.of(this.events::add), (key) -> (event) -> {
			throw new IllegalStateException("follower");
		}, null, null));
		assertThat(proceed().complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo("paid");
		assertThat(this.events).hasSize(3);
	}

	@Test
	void remembersTheTraceOfTheClaimAndTellsItToRetries() {
		trace();
		this.trace = FIRST;
		Execution execution = proceed();
		this.trace = "another";
		assertThat(begin()).isEqualTo(Decision.Refused.inProgress(Duration.ofSeconds(1), FIRST));
		execution.complete(bytes("paid"));
		assertThat(((Decision.Answer) begin()).trace()).isEqualTo(FIRST);
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void tellsWhereToLookForAnAttemptThatVanished() {
		trace();
		this.trace = FIRST;
		proceed();
		this.clock.advance(LEASE);
		this.trace = null;
		assertThat(begin(POLICY.withOnCrash(OnCrash.REFUSE))).isEqualTo(Decision.Refused.outcomeUnknown(1, FIRST));
	}

	@Test
	void storesALateResultInTheTraceOfItsAttempt() {
		trace();
		this.trace = FIRST;
		Execution late = proceed();
		this.clock.advance(LEASE);
		this.trace = "another";
		proceed().close();
		this.trace = null;
		assertThat(late.complete(bytes("late"))).isEqualTo(Completion.stored(true));
		assertThat(((Decision.Answer) begin()).trace()).isEqualTo(FIRST);
	}

	@Test
	void leavesOutATraceThatNoStoreCouldKeep() {
		trace();
		this.trace = "x".repeat(65);
		proceed().complete(bytes("paid"));
		assertThat(((Decision.Answer) begin()).trace()).isNull();
	}

	@Test
	void takesTheTimeOfTheStore() {
		watch(EngineSettings.of("shop"), new EngineHooks(List.of(), null, null, new StoreTimer() {

			@Override
			public long nanoTime() {
				return EngineHooksTests.this.nanos.getAndAdd(5);
			}

			@Override
			public void asked(StoreVerb verb, long nanos, boolean failed) {
				EngineHooksTests.this.asked.add("%s %d %s".formatted(verb, nanos, failed ? "failed" : "answered"));
			}

		}));
		proceed().complete(bytes("paid"));
		fail(StoreVerb.CLAIM, Fault.AFTER);
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::begin);
		assertThat(this.asked).containsExactly("claim 5 answered", "complete 5 answered", "claim 5 failed");
	}

	@Test
	void knowsHowManyKeysItHolds() {
		assertThat(this.engine.executionsInProgress()).isZero();
		Execution first = proceed();
		Execution second = proceed(
				this.engine.begin(new Attempt(IdempotencyKey.of("pay", "other"), Fingerprint.none(), POLICY)));
		assertThat(this.engine.executionsInProgress()).isEqualTo(2);
		first.complete(bytes("paid"));
		second.close();
		assertThat(this.engine.executionsInProgress()).isZero();
		assertThat(this.engine.attemptsWaiting()).isZero();
	}

}
