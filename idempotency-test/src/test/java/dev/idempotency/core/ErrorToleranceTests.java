package dev.idempotency.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.fixtures.BrokenCipher;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.InjectedError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * An {@link Error} at any moment reaches the caller as it is, and leaves neither a lease
 * that is renewed for ever nor a transaction that is not ended: the key is completed,
 * free, or free when its lease is over.
 */
class ErrorToleranceTests extends EngineFixture {

	private static final String SECRET = "MDEyMzQ1Njc4OWFiY2RlZg==";

	private final List<IdempotencyEvent> followed = new ArrayList<>();

	private @Nullable Class<? extends IdempotencyEvent> deadly;

	private @Nullable StoreVerb deadlyTimer;

	ErrorToleranceTests() {
		watch(EngineSettings.of("shop"));
	}

	private void watch(EngineSettings settings) {
		IdempotencyStore faulty = FaultInjectingStore.around(new JoiningMemory(this.memory),
				(verb) -> this.faults.next(verb));
		IdempotencyListener deadlyListener = (event) -> {
			if (this.deadly != null && this.deadly.isInstance(event)) {
				throw new OutOfMemoryError("as planned");
			}
		};
		StoreTimer timer = new StoreTimer() {

			@Override
			public long nanoTime() {
				return 0;
			}

			@Override
			public void asked(StoreVerb verb, long nanos, boolean failed) {
				if (verb == ErrorToleranceTests.this.deadlyTimer) {
					throw new OutOfMemoryError("as planned");
				}
			}

		};
		this.engine = new IdempotencyEngine(faulty, settings, this.clock,
				new EngineHooks(List.of(deadlyListener, this.events::add), (key) -> this.followed::add, null, timer),
				(task) -> new Thread(() -> {
				}), Runnable::run);
	}

	private void encrypting() {
		watch(new EngineSettings("shop", EngineSettings.Mode.ENFORCE, EngineSettings.OnStoreFailure.REJECT,
				ResultPacking.none().withEncryption(SECRET, List.of())));
	}

	@AfterEach
	void keepsNoLease() {
		assertThat(this.engine.executionsInProgress()).isZero();
	}

	private void assertTombstone() {
		mendAll();
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
	}

	private void assertFree() {
		mendAll();
		Execution next = proceed();
		assertThat(next.attempt()).isEqualTo(1);
		next.close();
	}

	private void assertFreeAfterItsLease() {
		mendAll();
		assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		this.clock.advance(LEASE);
		Execution next = proceed();
		assertThat(next.attempt()).isEqualTo(2);
		next.complete(bytes("paid"));
	}

	private void mendAll() {
		mend();
		this.deadly = null;
		this.deadlyTimer = null;
	}

	private List<Class<?>> followed() {
		return this.followed.stream().<Class<?>>map(IdempotencyEvent::getClass).toList();
	}

	@Test
	void anErrorBeforeAClaimLeavesTheKeyFree() {
		fail(StoreVerb.CLAIM, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(this::begin);
		assertThat(followed()).containsExactly(IdempotencyEvent.Undecided.class);
		assertThat(events(IdempotencyEvent.StoreFailed.class)).singleElement()
			.satisfies((event) -> assertThat(event.cause()).isInstanceOf(InjectedError.class));
		assertFree();
	}

	@Test
	void anErrorAfterAClaimLeavesTheKeyToItsLease() {
		fail(StoreVerb.CLAIM, Fault.ERROR_AFTER);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(this::begin);
		assertThat(followed()).containsExactly(IdempotencyEvent.Undecided.class);
		assertFreeAfterItsLease();
	}

	@Test
	void anErrorOfAListenerThatHearsOfAClaimGivesTheKeyBack() {
		this.deadly = IdempotencyEvent.Decided.class;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::begin);
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Released.class);
		assertThat(this.events).as("those behind it hear of it too").isEqualTo(this.followed);
		assertFree();
	}

	@Test
	void anErrorOfAListenerThatHearsOfATakeoverLeavesTheNextAttemptToKnow() {
		proceed().letLeaseRunOut();
		this.clock.advance(LEASE);
		this.deadly = IdempotencyEvent.TakenOver.class;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::begin);
		this.deadly = null;
		Execution next = proceed();
		assertThat(next.attempt()).isEqualTo(3);
		next.close();
	}

	@Test
	void aThreadThatCannotBeStartedGivesTheKeyBackAndIsStartedLater() {
		List<Runnable> started = new ArrayList<>();
		boolean[] failing = { true };
		this.engine = new IdempotencyEngine(this.store, EngineSettings.of("shop"), this.clock,
				new EngineHooks(List.of(this.events::add), null, null, null), (task) -> {
					if (failing[0]) {
						throw new OutOfMemoryError("unable to create native thread, as planned");
					}
					started.add(task);
					return new Thread(() -> {
					});
				}, Runnable::run);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::begin);
		assertThat(this.engine.executionsInProgress()).isZero();
		failing[0] = false;
		proceed().close();
		assertThat(started).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource(value = Fault.class, names = { "ERROR_BEFORE", "ERROR_AFTER" })
	void anErrorOfARenewalIsARenewalThatFailed(Fault fault) {
		Execution execution = proceed();
		Execution other = proceed(
				this.engine.begin(new Attempt(IdempotencyKey.of("pay", "other"), FINGERPRINT, POLICY)));
		this.clock.advance(LEASE.dividedBy(2));
		fail(StoreVerb.RENEW, fault);
		this.engine.renewLeases();
		assertThat(events(IdempotencyEvent.StoreFailed.class)).as("each was tried").hasSize(2);
		mend();
		this.clock.advance(LEASE.dividedBy(8));
		this.engine.renewLeases();
		this.clock.advance(LEASE.dividedBy(2));
		assertThat(begin().reason()).as("renewed in time").isEqualTo(Reason.IN_PROGRESS);
		assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(other.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void anErrorBeforeACompletionLeavesTheFactThatItHasRun() {
		Execution execution = proceed();
		failOnce(StoreVerb.COMPLETE, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(() -> execution.complete(bytes("paid")));
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Finished.class);
		assertTombstone();
	}

	@Test
	void anErrorBeforeEveryCompletionLeavesTheKeyToItsLease() {
		Execution execution = proceed();
		fail(StoreVerb.COMPLETE, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(() -> execution.complete(bytes("paid")))
			.satisfies(
					(error) -> assertThat(error.getSuppressed()).hasOnlyElementsOfType(InjectedError.class).hasSize(1));
		assertThat(events(IdempotencyEvent.Finished.class)).singleElement()
			.satisfies((event) -> assertThat(event.completion().kind()).isEqualTo(Completion.Kind.FAILED));
		execution.close();
		assertFreeAfterItsLease();
	}

	@Test
	void anErrorAfterACompletionLeavesItsResult() {
		Execution execution = proceed();
		fail(StoreVerb.COMPLETE, Fault.ERROR_AFTER);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(() -> execution.complete(bytes("paid")));
		mend();
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void anErrorWhileAResultIsPackedLeavesTheFactThatItHasRun() {
		encrypting();
		Execution execution = proceed();
		assertThatExceptionOfType(UnsatisfiedLinkError.class)
			.isThrownBy(() -> BrokenCipher.during(() -> execution.complete(bytes("paid"))));
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Finished.class);
		assertTombstone();
	}

	@Test
	void anErrorOfTheListenerThatHearsOfACompletionChangesNothingAboutIt() {
		Execution execution = proceed();
		this.deadly = IdempotencyEvent.Finished.class;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> execution.complete(bytes("paid")));
		assertThat(followed()).contains(IdempotencyEvent.Finished.class);
		this.deadly = null;
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void anErrorWhileALostClaimIsLookedAfterReachesTheCaller() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		Execution next = proceed();
		fail(StoreVerb.CLAIM, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(() -> late.complete(bytes("late")));
		mend();
		assertThat(next.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void anErrorBeforeAReleaseLeavesTheKeyToItsLease() {
		Execution execution = proceed();
		fail(StoreVerb.RELEASE, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(execution::close);
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.NotReleased.class);
		assertFreeAfterItsLease();
	}

	@Test
	void anErrorAfterAReleaseLeavesTheKeyFree() {
		Execution execution = proceed();
		fail(StoreVerb.RELEASE, Fault.ERROR_AFTER);
		assertThatExceptionOfType(InjectedError.class).isThrownBy(execution::close);
		assertFree();
	}

	@ParameterizedTest
	@EnumSource(names = { "FIND", "FORGET" })
	void anErrorOfWhoeverLooksReachesTheCaller(StoreVerb verb) {
		proceed().complete(bytes("paid"));
		fail(verb, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class)
			.isThrownBy(() -> (verb == StoreVerb.FIND ? this.engine.find(KEY) : this.engine.forget(KEY)).getClass());
		assertThat(events(IdempotencyEvent.StoreFailed.class)).singleElement()
			.satisfies((event) -> assertThat(event.verb()).isEqualTo(verb));
		mend();
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	/**
	 * As after an error of the store itself: nobody knows what it has done.
	 */
	@Test
	void anErrorOfWhoTakesTheTimeLeavesNoLease() {
		this.deadlyTimer = StoreVerb.CLAIM;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::begin);
		assertFreeAfterItsLease();
		assertThat(this.engine.forget(KEY)).isTrue();
		Execution released = proceed();
		this.deadlyTimer = StoreVerb.RELEASE;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(released::close);
		assertFree();
		Execution completed = proceed();
		this.deadlyTimer = StoreVerb.COMPLETE;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> completed.complete(bytes("paid")));
		this.deadlyTimer = null;
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	/**
	 * In a transaction, nothing of the work stays: the key is given back.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "result", "none" })
	void anErrorBeforeACompletionInATransactionRollsItBack(String payload) {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		fail(StoreVerb.COMPLETE, Fault.ERROR_BEFORE);
		assertThatExceptionOfType(InjectedError.class)
			.isThrownBy(() -> completeIn(execution, transaction, payload).getClass());
		assertThat(transaction.said).containsExactly("rolled back");
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.Released.class);
		assertFree();
	}

	private static Completion completeIn(Execution execution, PlayedTransaction transaction, String payload) {
		return payload.equals("none") ? execution.completeIn(transaction, null)
				: execution.completeIn(transaction, bytes(payload));
	}

	@Test
	void anErrorAfterACompletionInATransactionRollsItBack() {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		fail(StoreVerb.COMPLETE, Fault.ERROR_AFTER);
		assertThatExceptionOfType(InjectedError.class)
			.isThrownBy(() -> execution.completeIn(transaction, bytes("paid")));
		assertThat(transaction.said).containsExactly("rolled back");
		assertFree();
	}

	@Test
	void anErrorWhileAResultIsPackedRollsTheTransactionBack() {
		encrypting();
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		assertThatExceptionOfType(UnsatisfiedLinkError.class)
			.isThrownBy(() -> BrokenCipher.during(() -> execution.completeIn(transaction, bytes("paid"))));
		assertThat(transaction.said).containsExactly("rolled back");
		assertFree();
	}

	/**
	 * Too large for any store, or for this one.
	 */
	@ParameterizedTest
	@ValueSource(ints = { StoredResult.MAX_SIZE + 1, JoiningMemory.LARGEST_RESULT + 1 })
	void aResultThatIsTooLargeUndoesTheWorkIfItIsNeeded(int size) {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		assertThat(execution.completeIn(transaction, new byte[size]).kind())
			.isEqualTo(Completion.Kind.STORED_WITHOUT_RESULT);
		assertThat(transaction.said).containsExactly("committed");
		assertThat(this.engine.forget(KEY)).isTrue();
		Execution next = proceed();
		PlayedTransaction undone = new PlayedTransaction();
		next.resultIsNeeded();
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> next.completeIn(undone, new byte[size]));
		assertThat(undone.said).containsExactly("rolled back");
		assertFree();
	}

	@Test
	void anErrorOfTheCommitGivesTheKeyBack() {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		transaction.failing = true;
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> execution.completeIn(transaction, bytes("paid")));
		assertThat(transaction.said).containsExactly("commit fails", "rolled back");
		assertFree();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anOutcomeThatIsUnknownStaysSoWhenItsCommitFails(boolean error) {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		transaction.failing = error;
		transaction.refusing = !error;
		execution.outcomeIsUnknown();
		if (error) {
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> execution.closeIn(transaction));
		}
		else {
			assertThat(execution.closeIn(transaction).kind()).isEqualTo(Completion.Kind.UNKNOWN);
		}
		Execution next = proceed();
		assertThat(next.attempt()).isEqualTo(2);
		next.close();
	}

	@Test
	void anErrorOfTheReleaseAfterARollBackIsAttachedToTheFirst() {
		Execution execution = proceed();
		PlayedTransaction transaction = new PlayedTransaction();
		this.faults = (verb) -> (verb == StoreVerb.COMPLETE || verb == StoreVerb.RELEASE) ? Fault.ERROR_BEFORE
				: Fault.NONE;
		assertThatExceptionOfType(InjectedError.class)
			.isThrownBy(() -> execution.completeIn(transaction, bytes("paid")))
			.withMessageContaining("complete")
			.satisfies((error) -> assertThat(error.getSuppressed()).singleElement()
				.satisfies((suppressed) -> assertThat(suppressed).hasMessageContaining("release")));
		assertThat(transaction.said).containsExactly("rolled back");
		assertThat(followed()).containsExactly(IdempotencyEvent.Decided.class, IdempotencyEvent.NotReleased.class);
		assertFreeAfterItsLease();
	}

	@Test
	void anExecutionThatIsFinishedAlreadyEndsTheTransactionAllTheSame() {
		Execution execution = proceed();
		execution.close();
		PlayedTransaction transaction = new PlayedTransaction();
		assertThatIllegalStateException().isThrownBy(() -> execution.completeIn(transaction, bytes("paid")));
		assertThat(transaction.said).containsExactly("rolled back");
	}

	@Test
	void anErrorOfTheCommitOfUnprotectedWorkRollsItBack() {
		PlayedTransaction transaction = new PlayedTransaction();
		transaction.failing = true;
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> new UnprotectedExecution(KEY).completeIn(transaction, bytes("paid")));
		assertThat(transaction.said).containsExactly("commit fails", "rolled back");
	}

	private void failOnce(StoreVerb failing, Fault fault) {
		this.faults = (verb) -> {
			if (verb == failing) {
				mend();
				return fault;
			}
			return Fault.NONE;
		};
	}

	/**
	 * A transaction that only remembers what became of it.
	 */
	private static final class PlayedTransaction implements Transactions.Transaction {

		private final List<String> said = new ArrayList<>();

		private boolean failing;

		private boolean refusing;

		@Override
		public void commit() {
			if (this.refusing) {
				throw new IllegalStateException("as planned");
			}
			if (this.failing) {
				this.said.add("commit fails");
				throw new OutOfMemoryError("as planned");
			}
			this.said.add("committed");
		}

		@Override
		public void rollBack() {
			this.said.add("rolled back");
		}

	}

	/**
	 * A store in memory that lets every transaction take part, and none be committed.
	 */
	private static final class JoiningMemory extends ForwardingStore implements JoiningStore, InspectableStore {

		private static final int LARGEST_RESULT = 1 << 20;

		private final InspectableStore memory;

		private JoiningMemory(InspectableStore memory) {
			super(memory);
			this.memory = memory;
		}

		@Override
		public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
			if (result.size() > LARGEST_RESULT) {
				throw new ResultTooLargeException("More than %d bytes".formatted(LARGEST_RESULT));
			}
			return this.memory.find(claim.key()).filter((found) -> found.result() == null).isPresent();
		}

		@Override
		public boolean isInTransaction() {
			return true;
		}

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			return this.memory.find(key);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			return this.memory.forget(key);
		}

		@Override
		public boolean forget(Claim claim) {
			return this.memory.forget(claim);
		}

	}

}
