package dev.idempotency.call;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Effect;
import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyReusedException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.Outcome;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.RecordState;
import dev.idempotency.ReplayLimitException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.ResultType;
import dev.idempotency.Settlement;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.store.Claim;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static dev.idempotency.call.CallFixture.KEY;
import static dev.idempotency.call.CallFixture.LEASE;
import static dev.idempotency.call.CallFixture.POLICY;
import static dev.idempotency.call.CallFixture.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Work runs once per key, by hand: no container, no proxy, no request.
 */
class IdempotencyTemplateTests {

	private final CallFixture fixture = new CallFixture();

	private final AtomicInteger runs = new AtomicInteger();

	@Test
	void runsOnceAndReplays() {
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
		assertThat(execute()).isEqualTo("receipt 1");
		assertThat(this.fixture.idempotency.execute(IdempotencyKey.of("pay", "other"), String.class, this::work))
			.isEqualTo("receipt 2");
	}

	@Test
	void replaysInAnotherProcess() {
		execute();
		this.fixture.restart();
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
	}

	@Test
	void replaysGenericTypes() {
		ResultType<Map<String, List<Receipt>>> type = new ResultType<>() {
		};
		Map<String, List<Receipt>> receipts = Map.of("today", List.of(new Receipt("1", 100)));
		assertThat(this.fixture.idempotency.execute(KEY, type, () -> receipts)).isSameAs(receipts);
		Map<String, List<Receipt>> again = this.fixture.idempotency.execute(KEY, type, Map::of);
		assertThat(again).isEqualTo(receipts).isNotSameAs(receipts);
		assertThat(again.get("today")).singleElement().isInstanceOf(Receipt.class);
	}

	@Test
	void refusesATypeThatIsNotKnown() {
		assertThatIllegalStateException().isThrownBy(IdempotencyTemplateTests::<Receipt>unknown)
			.withMessageContaining("needs a type argument");
	}

	private static <T> ResultType<List<T>> unknown() {
		return new ResultType<>() {
		};
	}

	@Test
	@SuppressWarnings("NullAway") // Knows nothing of type arguments that may be null
	void replaysNull() {
		ResultType<@Nullable String> type = new ResultType<>() {
		};
		assertThat(this.fixture.idempotency.attempt(KEY, type, this::nothing))
			.isEqualTo(new Outcome.Executed<@Nullable String>(null));
		assertThat(this.fixture.idempotency.attempt(KEY, type, this::nothing))
			.isEqualTo(new Outcome.Replayed<@Nullable String>(null));
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void runsAnActionOnce() {
		this.fixture.idempotency.execute(KEY, () -> {
			this.runs.incrementAndGet();
		});
		this.fixture.idempotency.execute(KEY, () -> {
			this.runs.incrementAndGet();
		});
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void passesCheckedExceptionsThroughAsTheyAre() {
		IOException broken = new IOException("broken pipe");
		try {
			// Compiles, since the compiler knows what the work fails with
			this.fixture.idempotency.execute(KEY, String.class, () -> failing(broken));
		}
		catch (IOException ex) {
			assertThat(ex).isSameAs(broken);
		}
		assertThat(this.fixture.idempotency.find(KEY)).isEmpty();
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
	}

	private static String failing(IOException failure) throws IOException {
		throw failure;
	}

	@Test
	void givesTheKeyBackWhateverTheWorkThrows() {
		for (Throwable failure : List.of(new IllegalStateException(), new AssertionError(), new StackOverflowError())) {
			assertThatExceptionOfType(failure.getClass()).isThrownBy(() -> this.fixture.idempotency.execute(KEY, () -> {
				if (failure instanceof Error error) {
					throw error;
				}
				throw (RuntimeException) failure;
			}));
			assertThat(this.fixture.idempotency.find(KEY)).isEmpty();
			assertThat(IdempotencyContext.find()).isEmpty();
		}
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
	}

	/**
	 * A result that cannot be written for an error that is not its own fault.
	 */
	record Deadly(String text) {

		public String getMore() {
			if (!this.text.isEmpty()) {
				throw new NoClassDefFoundError("as planned");
			}
			return this.text;
		}

	}

	@Test
	void whatHasRunDoesNotRunAgainAfterAnErrorInItsResult() {
		for (int i = 1; i <= 2; i++) {
			Class<? extends Throwable> expected = (i == 1) ? NoClassDefFoundError.class
					: ResultNotReplayableException.class;
			assertThatExceptionOfType(expected)
				.isThrownBy(() -> this.fixture.idempotency.execute(KEY, Deadly.class, () -> new Deadly(work())));
		}
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void aStepThatHasRunDoesNotRunAgainAfterAnErrorInItsResult() {
		AtomicInteger steps = new AtomicInteger();
		for (int i = 1; i <= 2; i++) {
			Class<? extends Throwable> expected = (i == 1) ? NoClassDefFoundError.class
					: ResultNotReplayableException.class;
			assertThatExceptionOfType(expected).isThrownBy(() -> this.fixture.idempotency.execute(KEY, String.class,
					() -> IdempotencyContext.current()
						.steps()
						.run("step", Deadly.class, () -> new Deadly("step " + steps.incrementAndGet()))
						.text()));
		}
		assertThat(steps).hasValue(1);
	}

	@Test
	void whatTheWorkThrowsComesBeforeWhatGivingTheKeyBackDoes() {
		this.fixture.fail(StoreVerb.RELEASE, Fault.ERROR_BEFORE);
		assertThatIllegalStateException().isThrownBy(() -> this.fixture.idempotency.execute(KEY, () -> {
			throw new IllegalStateException("work");
		})).withMessage("work").satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
	}

	@Test
	void tellsTheWorkWhatItIs() {
		this.fixture.claimElsewhere(KEY);
		this.fixture.clock.advance(LEASE);
		this.fixture.idempotency.execute(KEY, () -> {
			IdempotencyContext context = IdempotencyContext.current();
			assertThat(context.key()).isEqualTo(KEY.within("shop"));
			assertThat(context.attempt()).isEqualTo(2);
			assertThat(context.mayHaveRun()).isTrue();
			context.effect(Effect.CREATED);
		});
		assertThat(IdempotencyContext.find()).isEmpty();
	}

	@Test
	void storesNothingWhenTheWorkSaysSo() {
		for (int i = 1; i <= 2; i++) {
			assertThat(this.fixture.idempotency.attempt(KEY, String.class, () -> {
				IdempotencyContext.current().doNotStore();
				return work();
			})).isEqualTo(new Outcome.Executed<>("receipt " + i));
		}
	}

	@Test
	void settlesAKeyWhoseAttemptVanished() {
		IdempotencyKey other = IdempotencyKey.of("pay", "other");
		for (IdempotencyKey key : List.of(KEY, other)) {
			this.fixture.claimElsewhere(key);
			assertThat(this.fixture.idempotency.settleAsNotDone(key)).isEqualTo(Settlement.IN_PROGRESS);
		}
		this.fixture.clock.advance(CallFixture.LEASE);
		assertThat(this.fixture.idempotency.settleAsDone(KEY, String.class, "receipt of the bank"))
			.isEqualTo(Settlement.SETTLED);
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt of the bank"));
		assertThat(this.fixture.idempotency.settleAsNotDone(KEY)).isEqualTo(Settlement.COMPLETED);
		assertThat(this.fixture.idempotency.settleAsDone(other)).isEqualTo(Settlement.SETTLED);
		assertThat(this.fixture.idempotency.attempt(other, String.class, this::work))
			.isEqualTo(new Outcome.NotReplayable<>());
		assertThat(this.runs).hasValue(0);
	}

	@Test
	void runsAgainWhatWasSettledAsNotDone() {
		this.fixture.claimElsewhere(KEY);
		this.fixture.clock.advance(CallFixture.LEASE);
		assertThat(this.fixture.idempotency.settleAsNotDone(KEY)).isEqualTo(Settlement.SETTLED);
		assertThat(this.fixture.idempotency.settleAsNotDone(KEY)).isEqualTo(Settlement.NOT_FOUND);
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
		assertThat(this.fixture.idempotency.find(KEY).orElseThrow().attempt()).isEqualTo(1);
	}

	@Test
	void settlesNothingWhereNothingIsProtected() {
		Idempotency disabled = IdempotencyTemplate.disabled();
		assertThat(disabled.settleAsDone(KEY, String.class, "receipt")).isEqualTo(Settlement.NOT_FOUND);
		assertThat(disabled.settleAsDone(KEY)).isEqualTo(Settlement.NOT_FOUND);
		assertThat(disabled.settleAsNotDone(KEY)).isEqualTo(Settlement.NOT_FOUND);
	}

	@Test
	void doesNotJoinATwin() {
		this.fixture.claimElsewhere(KEY);
		this.fixture.clock.advance(Duration.ofSeconds(10));
		assertThat(attempt()).isEqualTo(new Outcome.InProgress<>(Duration.ofSeconds(10)));
		assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(this::execute)
			.withMessageContaining("pay #" + KEY.within("shop").hash())
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(10)));
		assertThat(this.runs).hasValue(0);
	}

	@Test
	void waitsForATwinWhereItIsToldTo() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		CompletableFuture<String> twin = CompletableFuture
			.supplyAsync(() -> this.fixture.idempotency.execute(KEY, String.class, () -> {
				running.countDown();
				assertThat(await(go)).isTrue();
				return work();
			}));
		assertThat(await(running)).isTrue();
		Idempotency patient = this.fixture.idempotency.withOnConflict(OnConflict.WAIT);
		CompletableFuture<Outcome<String>> waiting = CompletableFuture
			.supplyAsync(() -> patient.attempt(KEY, String.class, this::work));
		assertThat(patient.withOnConflict(OnConflict.REJECT).attempt(KEY, String.class, this::work))
			.isInstanceOf(Outcome.InProgress.class);
		go.countDown();
		assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("receipt 1"));
		assertThat(twin.get(30, TimeUnit.SECONDS)).isEqualTo("receipt 1");
	}

	private static boolean await(CountDownLatch latch) {
		return Unchecked.get(() -> latch.await(30, TimeUnit.SECONDS));
	}

	@Test
	void comparesWhatItIsAskedToDoWhereItIsToldTo() {
		Idempotency hundred = this.fixture.idempotency.withFingerprint(Fingerprint.sha256(new byte[] { 100 }));
		hundred.execute(KEY, String.class, this::work);
		assertThat(attempt()).isEqualTo(new Outcome.KeyReused<>());
		assertThatExceptionOfType(IdempotencyKeyReusedException.class).isThrownBy(this::execute);
		// Views of a view keep what it said
		assertThat(hundred.withTtl(Duration.ofDays(1)).attempt(KEY, String.class, this::work))
			.isEqualTo(new Outcome.Replayed<>("receipt 1"));
	}

	@Test
	void refusesAfterACrashWhereItIsToldTo() {
		Idempotency careful = this.fixture.idempotency.withOnCrash(OnCrash.REFUSE);
		this.fixture.claimElsewhere(KEY);
		this.fixture.clock.advance(LEASE);
		assertThat(careful.attempt(KEY, String.class, this::work)).isEqualTo(new Outcome.OutcomeUnknown<>(1));
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> careful.execute(KEY, String.class, this::work));
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
	}

	@Test
	void replaysNoMoreThanAllowed() {
		this.fixture.idempotency = this.fixture.template(EngineSettings.of("shop"), POLICY.withMaxReplays(1));
		execute();
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
		assertThat(attempt()).isEqualTo(new Outcome.ReplayLimit<>(2));
		assertThatExceptionOfType(ReplayLimitException.class).isThrownBy(this::execute);
	}

	@Test
	void remembersForAsLongAsItIsTold() {
		this.fixture.idempotency.withTtl(Duration.ofHours(1)).execute(KEY, String.class, this::work);
		this.fixture.clock.advance(Duration.ofMinutes(59));
		assertThat(execute()).isEqualTo("receipt 1");
		this.fixture.clock.advance(Duration.ofMinutes(1));
		assertThat(execute()).isEqualTo("receipt 2");
	}

	@Test
	void saysWhatIsRemembered() {
		assertThat(this.fixture.idempotency.find(KEY)).isEmpty();
		Claim vanished = this.fixture.claimElsewhere(KEY);
		KeyStatus running = this.fixture.idempotency.find(KEY).orElseThrow();
		assertThat(running).isEqualTo(new KeyStatus(RecordState.IN_PROGRESS, 1, this.fixture.clock.instant(), null,
				this.fixture.clock.instant().plus(TTL)));
		this.fixture.clock.advance(LEASE);
		assertThat(this.fixture.idempotency.find(KEY).map(KeyStatus::state)).contains(RecordState.ABANDONED);
		execute();
		assertThat(this.fixture.memory.release(vanished)).isFalse();
		KeyStatus completed = this.fixture.idempotency.find(KEY).orElseThrow();
		assertThat(completed).isEqualTo(new KeyStatus(RecordState.COMPLETED, 2, running.created(),
				this.fixture.clock.instant(), this.fixture.clock.instant().plus(TTL)));
		this.fixture.clock.advance(TTL);
		assertThat(this.fixture.idempotency.find(KEY)).isEmpty();
	}

	@Test
	void forgetsWhatIsRunningAbandonedOrCompleted() {
		assertThat(this.fixture.idempotency.forget(KEY)).isFalse();
		Claim claim = this.fixture.claimElsewhere(KEY);
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		assertThat(this.fixture.memory.renew(claim, LEASE)).isFalse();
		this.fixture.claimElsewhere(KEY);
		this.fixture.clock.advance(LEASE);
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		assertThat(execute()).isEqualTo("receipt 1");
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		assertThat(execute()).isEqualTo("receipt 2");
	}

	@Test
	void givesAStalledExecutionTheResultOfItsSuccessor() {
		assertThat(this.fixture.idempotency.attempt(KEY, String.class, () -> {
			String late = work();
			this.fixture.clock.advance(LEASE);
			assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 2"));
			return late;
		})).isEqualTo(new Outcome.Replayed<>("receipt 2"));
		assertThat(execute()).isEqualTo("receipt 2");
	}

	@Test
	void tellsAStalledExecutionThatItsSuccessorIsRunning() {
		assertThatExceptionOfType(OperationInProgressException.class)
			.isThrownBy(() -> this.fixture.idempotency.execute(KEY, String.class, () -> {
				this.fixture.clock.advance(LEASE);
				this.fixture.claimElsewhere(KEY);
				return work();
			}));
	}

	@Test
	void keepsTheResultOfAStalledExecutionWhoseSuccessorFailed() {
		assertThat(this.fixture.idempotency.attempt(KEY, String.class, () -> {
			this.fixture.clock.advance(LEASE);
			assertThat(this.fixture.memory.release(this.fixture.claimElsewhere(KEY))).isTrue();
			return work();
		})).isEqualTo(new Outcome.Executed<>("receipt 1"));
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
	}

	@Test
	void doesNotRunWithoutItsStore() {
		this.fixture.fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::execute);
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(this::attempt);
		assertThat(this.runs).hasValue(0);
	}

	@Test
	void runsWithoutItsStoreWhereItIsToldTo() {
		this.fixture.idempotency = this.fixture.template(Mode.ENFORCE, OnStoreFailure.PROCEED);
		this.fixture.fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
		assertThat(this.fixture.idempotency.execute(KEY, String.class,
				() -> IdempotencyContext.current().steps().run("step", String.class, this::work)))
			.isEqualTo("receipt 2");
		this.fixture.mend();
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 3"));
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 3"));
	}

	@Test
	void givesTheResultThatCouldNotBeStoredAndHoldsRetriesOff() {
		this.fixture.fail(StoreVerb.COMPLETE, Fault.BEFORE);
		assertThat(execute()).isEqualTo("receipt 1");
		this.fixture.mend();
		assertThat(attempt()).isInstanceOf(Outcome.InProgress.class);
		this.fixture.clock.advance(LEASE);
		assertThat(
				this.fixture.idempotency.execute(KEY, Boolean.class, () -> IdempotencyContext.current().mayHaveRun()))
			.isTrue();
	}

	@Test
	void replaysTheResultThatWasStoredAlthoughNobodyHeard() {
		this.fixture.fail(StoreVerb.COMPLETE, Fault.AFTER);
		assertThat(execute()).isEqualTo("receipt 1");
		this.fixture.mend();
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
	}

	@Test
	void letsEverythingRunWhereItOnlyObserves() {
		this.fixture.idempotency = this.fixture.template(Mode.OBSERVE, OnStoreFailure.REJECT);
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 1"));
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 2"));
		this.fixture.fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(attempt()).isEqualTo(new Outcome.Executed<>("receipt 3"));
		this.fixture.mend();
		this.fixture.restart();
		assertThat(attempt()).isEqualTo(new Outcome.Replayed<>("receipt 1"));
	}

	private Outcome<String> attempt() {
		return this.fixture.idempotency.attempt(KEY, String.class, this::work);
	}

	private String execute() {
		return this.fixture.idempotency.execute(KEY, String.class, this::work);
	}

	private String work() {
		return "receipt " + this.runs.incrementAndGet();
	}

	private @Nullable String nothing() {
		this.runs.incrementAndGet();
		return null;
	}

	record Receipt(String id, int amount) {
	}

}
