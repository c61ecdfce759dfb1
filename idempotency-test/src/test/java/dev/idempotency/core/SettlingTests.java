package dev.idempotency.core;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.RecordState;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.Settlement;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Attempts that vanished: who hears of them, and how people settle their keys.
 */
@ExtendWith(OutputCapture.class)
class SettlingTests extends EngineFixture {

	private static final OperationPolicy REFUSING = POLICY.withOnCrash(OnCrash.REFUSE);

	private static final Conclusion PAID = new Conclusion.Done(StoredResult.of(bytes("paid, says the bank")));

	private static final Conclusion NOT_PAID = new Conclusion.NotDone();

	private static final IdempotencyKey STORED = KEY.within("shop");

	@BeforeEach
	void lookInto() {
		this.engine = engine(this.memory, EngineSettings.of("shop"));
	}

	private Execution vanished() {
		Execution vanished = proceed(begin(REFUSING));
		this.clock.advance(LEASE);
		return vanished;
	}

	private Settlement settle(Conclusion conclusion) {
		return this.engine.records().settle(STORED, REFUSING, conclusion);
	}

	@Test
	void aTakeoverIsLoggedAndPublished(CapturedOutput output) {
		proceed();
		assertThat(events(IdempotencyEvent.TakenOver.class)).isEmpty();
		this.clock.advance(LEASE);
		proceed();
		assertThat(events(IdempotencyEvent.TakenOver.class)).containsExactly(new IdempotencyEvent.TakenOver(STORED, 2));
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN")).toList()).singleElement()
			.asString()
			.contains("Attempt 2 at pay #" + STORED.hash());
	}

	@Test
	void aRetryOfWhatFailedIsNoTakeover(CapturedOutput output) {
		proceed().close();
		proceed();
		assertThat(events(IdempotencyEvent.TakenOver.class)).isEmpty();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void whatWasDoneIsReplayed(CapturedOutput output) {
		vanished();
		assertThat(begin(REFUSING).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
		assertThat(settle(PAID)).isEqualTo(Settlement.SETTLED);
		assertThat(replayed(begin(REFUSING))).isEqualTo("paid, says the bank");
		assertThat(events(IdempotencyEvent.Settled.class))
			.containsExactly(new IdempotencyEvent.Settled("pay", RecordId.of(STORED), PAID));
		assertThat(events(IdempotencyEvent.TakenOver.class)).isEmpty();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void whatWasDoneIsRememberedForTheTtl() {
		vanished();
		settle(PAID);
		this.clock.advance(TTL.minusMillis(1));
		assertThat(replayed(begin(REFUSING))).isEqualTo("paid, says the bank");
		this.clock.advance(Duration.ofMillis(1));
		assertThat(proceed(begin(REFUSING)).attempt()).isEqualTo(1);
	}

	@Test
	void whatWasDoneWithoutAResultDoesNotRunAgain() {
		vanished();
		assertThat(settle(new Conclusion.Done(StoredResult.tombstone()))).isEqualTo(Settlement.SETTLED);
		assertThat(begin(REFUSING)).isEqualTo(Decision.Refused.notReplayable(null));
	}

	@Test
	void whatWasNotDoneRunsAsAFirstAttempt() {
		vanished();
		assertThat(settle(NOT_PAID)).isEqualTo(Settlement.SETTLED);
		assertThat(this.memory.find(STORED)).isEmpty();
		assertThat(proceed(begin(REFUSING)).attempt()).isEqualTo(1);
	}

	@Test
	void aGivenResultIsPackedLikeAnyOther() {
		ResultPacking packing = ResultPacking.none().withEncryption("MDEyMzQ1Njc4OWFiY2RlZg==", List.of());
		this.engine = engine(this.memory,
				new EngineSettings("shop", EngineSettings.Mode.ENFORCE, EngineSettings.OnStoreFailure.REJECT, packing));
		vanished();
		settle(PAID);
		StoredResult stored = Objects.requireNonNull(this.memory.find(STORED).orElseThrow().result());
		assertThat(stored.isPacked()).isTrue();
		assertThat(new String(stored.toFrame(), StandardCharsets.ISO_8859_1)).doesNotContain("paid");
		assertThat(replayed(begin(REFUSING))).isEqualTo("paid, says the bank");
	}

	@Test
	void whatIsRunningIsLeftAlone() {
		Execution running = proceed();
		assertThat(settle(PAID)).isEqualTo(Settlement.IN_PROGRESS);
		assertThat(settle(NOT_PAID)).isEqualTo(Settlement.IN_PROGRESS);
		assertThat(running.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void whatIsCompletedIsLeftAlone() {
		proceed().complete(bytes("paid"));
		assertThat(settle(PAID)).isEqualTo(Settlement.COMPLETED);
		assertThat(settle(NOT_PAID)).isEqualTo(Settlement.COMPLETED);
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void whatNobodyKnowsIsNotFound() {
		assertThat(settle(PAID)).isEqualTo(Settlement.NOT_FOUND);
		assertThat(settle(NOT_PAID)).isEqualTo(Settlement.NOT_FOUND);
		assertThat(this.memory.find(STORED)).isEmpty();
	}

	@Test
	void whoeverTookTheKeyOverBeforeIsLeftAlone() {
		vanished();
		Execution second = proceed();
		assertThat(settle(PAID)).isEqualTo(Settlement.IN_PROGRESS);
		assertThat(settle(NOT_PAID)).isEqualTo(Settlement.IN_PROGRESS);
		assertThat(second.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void anExecutorThatOnlySeemedToHaveVanishedIsToldTheGivenResult() {
		Execution late = vanished();
		settle(PAID);
		Completion completion = late.complete(bytes("paid late"));
		assertThat(completion.kind()).isEqualTo(Completion.Kind.SUPERSEDED);
		assertThat(replayed(completion.answer())).isEqualTo("paid, says the bank");
		assertThat(replayed(begin())).isEqualTo("paid, says the bank");
	}

	@Test
	void anExecutorThatOnlySeemedToHaveVanishedStillCountsWhereItWasSettledAsNotDone() {
		Execution late = vanished();
		settle(NOT_PAID);
		assertThat(late.complete(bytes("paid late"))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo("paid late");
	}

	@Test
	void aResultThatIsTooLargeLeavesTheKeyAbandoned() {
		vanished();
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> settle(new Conclusion.Done(StoredResult.of(new byte[(1 << 20) + 1]))));
		assertThat(begin(REFUSING).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
		assertThat(settle(PAID)).isEqualTo(Settlement.SETTLED);
	}

	@Test
	void aRecordIsSettledByItsName() {
		vanished();
		assertThat(this.engine.records().settle(RecordId.of(STORED), REFUSING, PAID)).isEqualTo(Settlement.SETTLED);
		assertThat(this.engine.records().find(RecordId.of(STORED)).orElseThrow().summary().state())
			.isEqualTo(RecordState.COMPLETED);
		assertThat(this.engine.records().settle(RecordId.of(KEY.within("another")), REFUSING, PAID))
			.isEqualTo(Settlement.NOT_FOUND);
	}

	@Test
	void aRecordOfAnotherApplicationIsNotFound() {
		IdempotencyKey foreign = KEY.within("another");
		this.memory.claim(foreign, FINGERPRINT, POLICY.terms());
		this.clock.advance(LEASE);
		assertThat(this.engine.records().settle(RecordId.of(foreign), REFUSING, NOT_PAID))
			.isEqualTo(Settlement.NOT_FOUND);
		assertThat(this.memory.find(foreign)).isPresent();
	}

	@Test
	void aKeyThatWasTooLongToBeKeptWholeIsSettledByTheApplication() {
		IdempotencyKey tooLong = IdempotencyKey.of("pay", "k".repeat(300)).within("shop");
		proceed(this.engine.begin(new Attempt(tooLong, Fingerprint.none(), POLICY)));
		this.clock.advance(LEASE);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.engine.records().settle(RecordId.of(tooLong), POLICY, NOT_PAID));
		assertThat(this.engine.records().settle(tooLong, POLICY, NOT_PAID)).isEqualTo(Settlement.SETTLED);
	}

}
