package dev.idempotency.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ExtendWith(OutputCapture.class)
class IdempotencyEngineTests extends EngineFixture {

	@ParameterizedTest
	@CsvSource({ "0, 1000", "200, 1000", "1000, 1000", "1001, 1001", "8000, 8000", "15000, 15000", "20000, 10000",
			"29900, 100" })
	void saysWhenToAskAgainForARunningTwin(long age, long expected) {
		proceed();
		this.clock.advance(Duration.ofMillis(age));
		assertThat(begin()).isEqualTo(Decision.Refused.inProgress(Duration.ofMillis(expected), null));
	}

	@Test
	void asksForMorePatienceTheLongerATwinRunsAndNeverForMoreThanItsLease() {
		proceed();
		for (int renewal = 1; renewal <= 4; renewal++) {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
			assertThat(begin())
				.isEqualTo(Decision.Refused.inProgress((renewal == 1) ? LEASE.dividedBy(2) : LEASE, null));
		}
	}

	@Test
	void whoeverAsksAgainWhenToldOutlastsAVanishedTwinInAFewTries() {
		proceed();
		int tries = 1;
		for (Decision decision = begin(); decision instanceof Decision.Refused running; decision = begin()) {
			this.clock.advance(running.retryAfter());
			tries++;
		}
		assertThat(tries).isEqualTo(7);
	}

	@Test
	void countsTheTimeOfATakeoverFromItsOwnBeginning() {
		proceed();
		this.clock.advance(LEASE.multipliedBy(10));
		proceed();
		assertThat(begin()).isEqualTo(Decision.Refused.inProgress(Duration.ofSeconds(1), null));
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(begin()).isEqualTo(Decision.Refused.inProgress(Duration.ofSeconds(5), null));
	}

	@Test
	void refusesAnotherRequestUnderTheSameKeyWhileTheFirstRuns() {
		proceed();
		assertThat(beginSomethingElse()).isEqualTo(Decision.Refused.keyReused());
	}

	@Test
	void refusesAnotherRequestUnderTheSameKeyAfterTheFirst() {
		proceed().complete(bytes("paid"));
		assertThat(beginSomethingElse()).isEqualTo(Decision.Refused.keyReused());
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void refusesAnotherRequestUnderTheKeyOfAVanishedOne() {
		proceed();
		this.clock.advance(LEASE);
		assertThat(beginSomethingElse()).isEqualTo(Decision.Refused.keyReused());
	}

	@Test
	void leavesAVanishedExecutionAloneWhereThePolicySaysSo() {
		OperationPolicy policy = POLICY.withOnCrash(OnCrash.REFUSE);
		proceed(begin(policy));
		assertThat(begin(policy).reason()).isEqualTo(Reason.IN_PROGRESS);
		this.clock.advance(LEASE);
		assertThat(begin(policy)).isEqualTo(Decision.Refused.outcomeUnknown(1, null));
		this.clock.advance(LEASE.multipliedBy(10));
		assertThat(begin(policy)).isEqualTo(Decision.Refused.outcomeUnknown(1, null));
	}

	@Test
	void replaysOnlyAsOftenAsThePolicyAllows() {
		OperationPolicy policy = POLICY.withMaxReplays(2);
		proceed(begin(policy)).complete(bytes("paid"));
		assertThat(replayed(begin(policy))).isEqualTo("paid");
		assertThat(replayed(begin(policy))).isEqualTo("paid");
		assertThat(begin(policy)).isEqualTo(Decision.Refused.replayLimit(3, TTL));
	}

	@Test
	void countsNoReplaysWithoutALimit() {
		proceed().complete(bytes("paid"));
		begin();
		begin();
		assertThat(begin(POLICY.withMaxReplays(1))).isInstanceOf(Decision.Replay.class);
	}

	@Test
	void replaysATombstone() {
		proceed().complete(null);
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
	}

	@Test
	void putsKeysIntoTheNamespaceOfTheApplication() {
		proceed().complete(bytes("paid"));
		this.engine = engine(this.store, EngineSettings.of("another shop"));
		assertThat(proceed().key().scope().namespace()).isEqualTo("another shop");
	}

	@Test
	void leavesAKeyInTheNamespaceItHas() {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("elsewhere", "pay", null, null), "key");
		Execution execution = proceed(this.engine.begin(new Attempt(key, FINGERPRINT, POLICY)));
		assertThat(execution.key()).isEqualTo(key);
	}

	@Test
	void doesNotRunWhatANewerReleaseHasStored() {
		ClaimResult result = this.memory.claim(KEY.within("shop"), FINGERPRINT, POLICY.terms());
		byte[] frame = { 3, 0, 1 };
		this.memory.complete(((ClaimResult.Granted) result).claim(), StoredResult.fromFrame(frame), TTL);
		this.engine = engine(Mode.ENFORCE, OnStoreFailure.PROCEED);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(this::begin)
			.withMessageContaining("upgrade this instance");
	}

	// The store fails

	@Test
	void runsNothingWhenTheStoreFails() {
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::begin)
			.withMessageContaining("failed to claim pay #");
		assertThat(events(IdempotencyEvent.StoreFailed.class)).singleElement()
			.satisfies((event) -> assertThat(event.verb()).isEqualTo(StoreVerb.CLAIM));
	}

	@Test
	void runsUnprotectedWhenTheStoreFailsWhereTheSettingsSaySo(CapturedOutput output) {
		this.engine = engine(Mode.ENFORCE, OnStoreFailure.PROCEED);
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		Execution execution = proceed();
		assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.UNPROTECTED);
		assertThat(events(IdempotencyEvent.RanUnprotected.class)).hasSize(1);
		assertThat(output).contains("without protection");
	}

	@Test
	void hasTheAnswerWhenTheStoreFailsAfterTheWorkAndHoldsRetriesOff() {
		Execution execution = proceed();
		fail(StoreVerb.COMPLETE, Fault.BEFORE);
		assertThat(execution.complete(bytes("paid")).kind()).isEqualTo(Completion.Kind.FAILED);
		execution.close();
		mend();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		this.clock.advance(LEASE);
		assertThat(proceed().mayHaveRun()).isTrue();
	}

	@Test
	void replaysWhatWasStoredThoughTheStoreFailedToSaySo() {
		Execution execution = proceed();
		fail(StoreVerb.COMPLETE, Fault.AFTER);
		assertThat(execution.complete(bytes("paid")).kind()).isEqualTo(Completion.Kind.FAILED);
		mend();
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void freesAKeyWithItsLeaseWhenItCannotBeReleased() {
		Execution execution = proceed();
		fail(StoreVerb.RELEASE, Fault.BEFORE);
		execution.close();
		mend();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		this.clock.advance(LEASE);
		proceed();
	}

	// Outcomes that are unknown

	@Test
	void leavesAKeyWhoseOutcomeIsUnknownToTheNextAttemptAtOnce() {
		Execution execution = proceed();
		execution.outcomeIsUnknown();
		execution.close();
		Execution second = proceed();
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(second.mayHaveRun()).isTrue();
		second.close();
		assertThat(proceed().attempt()).isEqualTo(3);
	}

	@Test
	void tellsFailuresThatLeaveTheOutcomeUnknownFromOthers() {
		Execution execution = proceed();
		execution.workFailed(new IllegalStateException("bug"));
		execution.close();
		Execution again = proceed();
		assertThat(again.attempt()).isEqualTo(1);
		again.workFailed(new IllegalStateException(new TimeoutException()));
		again.close();
		assertThat(proceed().attempt()).isEqualTo(2);
	}

	@Test
	void storesAResultInSpiteOfAFailureBeforeIt() {
		Execution execution = proceed();
		execution.workFailed(new TimeoutException());
		assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		execution.close();
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void waitsForTheLeaseWhereTheStoreCannotBeTold() {
		Execution execution = proceed();
		fail(StoreVerb.ABANDON, Fault.BEFORE);
		execution.outcomeIsUnknown();
		execution.close();
		mend();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		this.clock.advance(LEASE);
		assertThat(proceed().attempt()).isEqualTo(2);
	}

	@Test
	void leavesTheKeyOfASuccessorAlone() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		Execution successor = proceed();
		late.outcomeIsUnknown();
		late.close();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(successor.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	// Finishing

	@Test
	void finishesOnce() {
		Execution execution = proceed();
		execution.complete(bytes("paid"));
		assertThatIllegalStateException().isThrownBy(() -> execution.complete(bytes("again")));
		assertThatIllegalStateException().isThrownBy(() -> execution.complete(null));
	}

	@Test
	void cannotBeFinishedAfterItWasClosed() {
		Execution execution = proceed();
		execution.close();
		execution.close();
		assertThatIllegalStateException().isThrownBy(() -> execution.complete(bytes("paid")));
	}

	@Test
	void completesWithoutAResultThatTheStoreCannotHold() {
		Execution execution = proceed();
		assertThat(execution.complete(new byte[2 << 20])).isEqualTo(Completion.stored(false));
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
	}

	@Test
	void completesWithoutAResultThatNoStoreCanHold() {
		Execution execution = proceed();
		assertThat(execution.complete(new byte[StoredResult.MAX_SIZE + 1])).isEqualTo(Completion.stored(false));
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
	}

	// Stalling past the lease

	@Test
	void answersWithTheResultOfTheOneWhoTookOver() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().complete(bytes("paid by another"));
		Completion completion = late.complete(bytes("paid too late"));
		assertThat(completion.kind()).isEqualTo(Completion.Kind.SUPERSEDED);
		assertThat(replayed(completion.answer())).isEqualTo("paid by another");
		assertThat(replayed(begin())).isEqualTo("paid by another");
		assertThat(events(IdempotencyEvent.ClaimLost.class)).hasSize(1);
	}

	@Test
	void saysThatTheOneWhoTookOverIsStillRunning() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		Execution winner = proceed();
		assertThat(late.complete(bytes("too late")))
			.isEqualTo(Completion.superseded(Decision.Refused.inProgress(Duration.ofSeconds(1), null)));
		assertThat(winner.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void storesALateResultWhenTheOneWhoTookOverGaveUp() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().close();
		assertThat(late.complete(bytes("late but paid"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo("late but paid");
	}

	@Test
	void storesALateResultWhenNobodyTookOver() {
		Execution late = proceed();
		this.clock.advance(LEASE.multipliedBy(3));
		assertThat(late.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void freesNothingOfTheOneWhoTookOver() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		Execution winner = proceed();
		late.close();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		assertThat(winner.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void saysThatTheKeyNowBelongsToAnotherRequest() {
		Execution late = proceed();
		this.memory.forget(KEY.within("shop"));
		proceed(beginSomethingElse()).complete(bytes("something else"));
		assertThat(late.complete(bytes("paid"))).isEqualTo(Completion.superseded(Decision.Refused.keyReused()));
	}

	// Observing

	@Test
	void runsEverythingAndSaysWhatItWouldHaveDoneWhenItObserves(CapturedOutput output) {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT);
		Execution first = proceed();
		assertThat(proceed().complete(bytes("ran twice"))).isEqualTo(Completion.UNPROTECTED);
		proceed(beginSomethingElse()).close();
		assertThat(first.complete(bytes("ran first"))).isEqualTo(Completion.stored(true));
		proceed().complete(null);
		IdempotencyKey key = KEY.within("shop");
		assertThat(events(IdempotencyEvent.Decided.class)).containsExactly(
				new IdempotencyEvent.Decided(key, 1, null, true),
				new IdempotencyEvent.Decided(key, 0, Decision.Refused.inProgress(Duration.ofSeconds(1), null), false),
				new IdempotencyEvent.Decided(key, 0, Decision.Refused.keyReused(), false), new IdempotencyEvent.Decided(
						key, 0, new Decision.Replay(StoredResult.of(bytes("ran first")), null), false));
		assertThat(output).contains("Observed only");
	}

	@Test
	void waitsForNobodyWhenItObserves() {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT);
		proceed();
		proceed(begin(POLICY.withPatience(Duration.ofDays(1))));
	}

	@Test
	void runsEverythingWhenItObservesAndTheStoreFails() {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT);
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(proceed().complete(bytes("paid"))).isEqualTo(Completion.UNPROTECTED);
	}

	@Test
	void readsWhatItRemembersForItselfWhenItObserves() {
		this.engine = engine(Mode.OBSERVE, OnStoreFailure.REJECT);
		Attempt attempt = new Attempt(KEY, FINGERPRINT, POLICY);
		proceed(this.engine.recall(attempt)).complete(bytes("a name"));
		assertThat(this.engine.recall(attempt)).isEqualTo(new Decision.Replay(StoredResult.of(bytes("a name")), null));
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(proceed(this.engine.recall(attempt)).complete(bytes("another"))).isEqualTo(Completion.UNPROTECTED);
	}

	// Telling

	@Test
	void tellsListenersWhatHappens() {
		proceed().complete(bytes("paid"));
		begin();
		assertThat(this.events).extracting((event) -> event.getClass().getSimpleName())
			.containsExactly("Decided", "Finished", "Decided");
		assertThat(events(IdempotencyEvent.OfKey.class)).hasSize(3)
			.allSatisfy((event) -> assertThat(event.key()).isEqualTo(KEY.within("shop")));
	}

	@Test
	void containsTheFailuresOfListeners(CapturedOutput output) {
		IdempotencyListener failing = (event) -> {
			throw new AssertionError("the listener's own");
		};
		this.engine = engine(this.store, EngineSettings.of("shop"), List.of(failing, this.events::add));
		proceed().complete(bytes("paid"));
		assertThat(replayed(begin())).isEqualTo("paid");
		assertThat(this.events).hasSize(3);
		assertThat(output.toString().split("the operation continues", -1)).as("logged once").hasSize(2);
	}

	@Test
	void logsNoKey(CapturedOutput output) {
		IdempotencyKey secret = IdempotencyKey.of("pay", "the client's secret");
		fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThatExceptionOfType(IdempotencyStoreException.class)
			.isThrownBy(() -> this.engine.begin(new Attempt(secret, FINGERPRINT, POLICY)))
			.withMessageNotContaining("secret");
		assertThat(output).contains("pay #").doesNotContain("secret");
	}

}
