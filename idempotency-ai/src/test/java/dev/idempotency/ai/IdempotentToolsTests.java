package dev.idempotency.ai;

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.execution.ToolExecutionException;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class IdempotentToolsTests {

	private static final ToolContext ALICE = ToolFixture.session("alice");

	private static final ToolContext BOB = ToolFixture.session("bob");

	private static final String INPUT = "{\"customer\":\"c-1\",\"amount\":5}";

	private static final ToolOptions OPTIONS = ToolOptions.defaults();

	private static final ToolOptions READING = OPTIONS.withSideEffects(SideEffect.READ);

	private final ToolFixture fixture = new ToolFixture();

	private final CountingTool charge = new CountingTool("charge");

	private ToolCallback wrapped(ToolOptions options) {
		return this.fixture.tools().wrap(this.charge, options);
	}

	@Test
	void runsOnceAndReplays() {
		ToolCallback tool = wrapped(OPTIONS);
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(this.charge.inputs()).containsExactly(INPUT);
	}

	@Test
	void replaysInAnotherProcess() {
		wrapped(OPTIONS).call(INPUT, ALICE);
		assertThat(wrapped(OPTIONS).call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(this.charge.inputs()).hasSize(1);
	}

	@Test
	void givesNoResultToAnotherSession() {
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(INPUT, ALICE);
		assertThat(tool.call(INPUT, BOB)).isEqualTo("answer 2");
	}

	@Test
	void neverTakesPartsOfASessionForArguments() {
		ToolCallback tool = wrapped(OPTIONS);
		tool.call("b\0c", ToolFixture.session("a"));
		assertThat(tool.call("c", ToolFixture.session("a\0b"))).isEqualTo("answer 2");
	}

	@Test
	void tellsToolsApart() {
		IdempotentTools tools = this.fixture.tools();
		tools.wrap(this.charge, OPTIONS).call(INPUT, ALICE);
		assertThat(tools.wrap(new CountingTool("refund"), OPTIONS).call(INPUT, ALICE)).isEqualTo("answer 1");
	}

	/**
	 * As an application does that wraps its tools for each request, with a session of its
	 * own.
	 */
	@Test
	void forgetsToolsThatNobodyHasAnyMore() {
		IdempotentTools tools = this.fixture.tools();
		ToolCallback kept = tools.wrap(this.charge, READING);
		for (int i = 0; i < 100_000; i++) {
			String session = "request " + i;
			tools.wrap(new CountingTool("tool of " + session), OPTIONS.withSession((context) -> session));
		}
		await().untilAsserted(() -> {
			System.gc();
			assertThat(tools.remembered()).isLessThan(4 * KnownTools.MAX_RECENT);
		});
		assertThat(tools.metadataOf("charge")).hasValue((TaggedToolMetadata) kept.getToolMetadata());
		assertThat(kept.getToolMetadata()).as("shared by all who have it")
			.isSameAs(tools.wrap(this.charge, READING).getToolMetadata());
	}

	@Test
	void wrapsOnceWhatIsWrappedTwice() {
		IdempotentTools tools = this.fixture.tools();
		ToolCallback twice = tools.wrap(tools.wrap(this.charge, OPTIONS), OPTIONS);
		assertThat(((IdempotentToolCallback) twice).tool()).isSameAs(this.charge);
		assertThat(twice.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(twice.call(INPUT, ALICE)).isEqualTo("answer 1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "{\"a\":1,\"b\":[1,2]} | { \"b\" : [1, 2], \"a\": 1 }", "{\"a\":1} | {\"a\":1.0}",
					"{\"a\":10} | {\"a\":1e1}", "[-0.0] | [0]", "{\"a\":1,\"a\":2} | { \"a\":1, \"a\":2 }",
					"{\"a\":\"\\u00e9\"} | {\"a\":\"é\"}", "{} | ` `", "null | null" })
	void takesArgumentsForTheSame(String first, String second) {
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(first, ALICE);
		assertThat(tool.call(second, ALICE)).isEqualTo("answer 1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "{\"a\":1} | {\"a\":2}", "{\"a\":1} | {\"a\":\"1\"}", "{\"a\":null} | {}",
					"{\"a\":[1,2]} | {\"a\":[2,1]}", "{\"a\":1,\"a\":2} | {\"a\":2}", "{\"a\":1} | {\"a\":1} x",
					"{\"a\":10000000000000001.5} | {\"a\":10000000000000001}" })
	void tellsArgumentsApart(String first, String second) {
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(first, ALICE);
		assertThat(tool.call(second, ALICE)).isEqualTo("answer 2");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "{\"a\":", "not json", "{\"a\":1}{", "\ud800", "{\"a\":\"\ud800\"}", "[[[", "1e999999999" })
	void comparesWhatIsNoJsonAsText(String input) {
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(input, ALICE);
		assertThat(tool.call(input, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(input + " ", ALICE)).isIn("answer 1", "answer 2");
	}

	@Test
	void comparesWhatIsTooDeepAsText() {
		String deep = "[".repeat(600) + "]".repeat(600);
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(deep, ALICE);
		assertThat(tool.call(deep, ALICE)).isEqualTo("answer 1");
	}

	@Test
	void refusesToWriteWithoutASession() {
		ToolCallback tool = wrapped(OPTIONS);
		assertThatExceptionOfType(IdempotencyKeyMissingException.class).isThrownBy(() -> tool.call(INPUT))
			.withMessageContaining("charge")
			.withMessageContaining("sessionId")
			.withMessageContaining("ToolSession");
		assertThatExceptionOfType(IdempotencyKeyMissingException.class)
			.isThrownBy(() -> tool.call(INPUT, ToolFixture.session(" ")));
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void refusesASessionThatAnObjectNames() {
		ToolCallback tool = wrapped(OPTIONS);
		for (Object session : List.of(new Object(), Map.of("id", 7), Optional.of("alice"))) {
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> tool.call(INPUT, new ToolContext(Map.of(ToolSession.DEFAULT_ENTRY, session))))
				.withMessageContaining("Put its id into the tool context");
		}
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void takesTheConversationForTheSession() {
		ToolCallback tool = wrapped(OPTIONS);
		ToolContext conversation = new ToolContext(Map.of(ChatMemory.CONVERSATION_ID, "c-1"));
		tool.call(INPUT, conversation);
		assertThat(tool.call(INPUT, conversation)).isEqualTo("answer 1");
	}

	@Test
	void takesTheSessionThatTheOptionsName() {
		ToolCallback single = wrapped(OPTIONS.withSession(ToolSession.fixed("me")));
		assertThat(single.call(INPUT)).isEqualTo("answer 1");
		assertThat(single.call(INPUT)).isEqualTo("answer 1");
		ToolCallback byUser = wrapped(OPTIONS.withSession(ToolSession.ofEntry("user")));
		assertThat(byUser.call(INPUT, new ToolContext(Map.of("user", 7)))).isEqualTo("answer 2");
	}

	@Test
	void takesSessionsOfAnyLength() {
		ToolCallback tool = wrapped(OPTIONS);
		ToolContext broken = ToolFixture.session("\ud800");
		ToolContext longest = ToolFixture.session("s".repeat(5000));
		assertThat(tool.call(INPUT, broken)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, longest)).isEqualTo("answer 2");
		assertThat(tool.call(INPUT, longest)).isEqualTo("answer 2");
	}

	@Test
	void runsAgainAfterAFailure() {
		this.charge.answering((input) -> {
			throw new IllegalStateException("no connection");
		});
		ToolCallback tool = wrapped(OPTIONS);
		assertThatIllegalStateException().isThrownBy(() -> tool.call(INPUT, ALICE));
		this.charge.answering((input) -> "paid");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("paid");
	}

	@Test
	void runsAgainAfterTheTtl() {
		ToolCallback tool = wrapped(OPTIONS.withTtl(Duration.ofMinutes(1)));
		tool.call(INPUT, ALICE);
		this.fixture.clock.advance(Duration.ofMinutes(1));
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 2");
	}

	@Test
	void tellsTheModelThatItIsRunningElsewhere() {
		this.fixture.claimElsewhere("charge", "alice", INPUT);
		assertThatExceptionOfType(ToolExecutionException.class)
			.isThrownBy(() -> wrapped(OPTIONS.withOnConflict(OnConflict.REJECT)).call(INPUT, ALICE))
			.withMessageContaining("charge is running already")
			.withMessageContaining("after 1 s")
			.withCauseInstanceOf(OperationInProgressException.class);
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void runsAgainAfterACrash() {
		this.charge.answering((input) -> "attempt " + IdempotencyContext.current().attempt());
		this.fixture.claimElsewhere("charge", "alice", INPUT);
		this.fixture.clock.advance(ToolFixture.LEASE);
		assertThat(wrapped(OPTIONS).call(INPUT, ALICE)).isEqualTo("attempt 2");
	}

	@Test
	void tellsTheModelThatTheOutcomeIsUnknown() {
		this.fixture.claimElsewhere("charge", "alice", INPUT);
		this.fixture.clock.advance(ToolFixture.LEASE);
		assertThatExceptionOfType(ToolExecutionException.class)
			.isThrownBy(() -> wrapped(OPTIONS.withOnCrash(OnCrash.REFUSE)).call(INPUT, ALICE))
			.withMessageContaining("it is unknown whether it took effect")
			.withCauseInstanceOf(OutcomeUnknownException.class);
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void tellsTheModelThatAFailureHasLeftTheOutcomeUnknown() {
		IllegalStateException failure = new IllegalStateException(new SocketTimeoutException("Read timed out"));
		this.charge.answering((input) -> {
			throw failure;
		});
		ToolCallback tool = wrapped(OPTIONS);
		assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, ALICE))
			.withMessageContaining("charge failed, and it is unknown whether it took effect")
			.satisfies((told) -> assertThat(told.getCause()).hasCause(failure));
		this.charge.answering((input) -> "knows " + IdempotencyContext.current().mayHaveRun());
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("knows true");
	}

	@Test
	void passesAFailureOnWhenTheStoreCannotTellItsOutcome() {
		IllegalStateException failure = new IllegalStateException("no connection");
		this.charge.answering((input) -> {
			throw failure;
		});
		FaultInjectingStore silent = new FaultInjectingStore(this.fixture.store, (verb) -> Fault.NONE);
		ToolCallback tool = ToolFixture.tools(silent, this.fixture.clock).wrap(this.charge, OPTIONS);
		assertThatIllegalStateException().isThrownBy(() -> tool.call(INPUT, ALICE)).isSameAs(failure);
	}

	@Test
	void tellsTheModelThatTheStoreIsAway() {
		FaultInjectingStore broken = new FaultInjectingStore(this.fixture.store, (verb) -> Fault.BEFORE);
		ToolCallback tool = ToolFixture.tools(broken, this.fixture.clock).wrap(this.charge, OPTIONS);
		assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, ALICE))
			.withMessageContaining("charge was not run")
			.withCauseInstanceOf(IdempotencyStoreException.class);
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void passesOnWhatTheToolItselfSaysOfItsStore() {
		this.charge.answering((input) -> {
			throw new IdempotencyStoreException("the tool's own", null);
		});
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> wrapped(OPTIONS).call(INPUT, ALICE))
			.withMessage("the tool's own");
	}

	@Test
	void doesNotKeepReadingUnlessAsked() {
		ToolCallback tool = wrapped(READING);
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 2");
		assertThat(tool.call(INPUT)).isEqualTo("answer 3");
	}

	@Test
	void keepsWhatWasReadForEachSession() {
		ToolCallback tool = wrapped(READING.withReadCache(Duration.ofMinutes(1), 10));
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, BOB)).isEqualTo("answer 2");
		this.fixture.clock.advance(Duration.ofMinutes(1));
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 3");
	}

	@Test
	void keepsNothingThatWasReadWithoutASession() {
		ToolCallback tool = wrapped(READING.withReadCache(Duration.ofMinutes(1), 10));
		assertThat(tool.call(INPUT)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT)).isEqualTo("answer 2");
	}

	@Test
	void keepsOnlySoManyReads() {
		ToolCallback tool = wrapped(READING.withReadCache(Duration.ofMinutes(1), 10));
		for (int i = 0; i < 1000; i++) {
			tool.call("{\"a\":%d}".formatted(i), ALICE);
		}
		for (int i = 0; i < 1000; i++) {
			tool.call("{\"a\":%d}".formatted(i), ALICE);
		}
		assertThat(this.charge.inputs()).hasSizeGreaterThan(1900);
	}

	@Test
	void keepsNoReadThatTheToolHoldsBack() {
		this.charge.answering((input) -> {
			IdempotencyContext.current().doNotStore();
			return "not yet";
		});
		ToolCallback tool = wrapped(READING.withReadCache(Duration.ofMinutes(1), 10));
		tool.call(INPUT, ALICE);
		tool.call(INPUT, ALICE);
		assertThat(this.charge.inputs()).hasSize(2);
	}

	@Test
	void tellsAModelThatGoesRoundInCirclesToStop() {
		ToolCallback tool = wrapped(OPTIONS.withLoopGuard(3, Duration.ofMinutes(10)));
		for (int i = 0; i < 3; i++) {
			assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		}
		assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, ALICE))
			.withMessageStartingWith("Stop. charge was called 3 times")
			.withCauseInstanceOf(ToolLoopException.class);
		assertThat(tool.call("{}", ALICE)).isEqualTo("answer 2");
		assertThat(tool.call(INPUT, BOB)).isEqualTo("answer 3");
	}

	@Test
	void countsWithinAWindow() {
		ToolCallback tool = wrapped(READING.withLoopGuard(2, Duration.ofMinutes(10)));
		tool.call(INPUT, ALICE);
		this.fixture.clock.advance(Duration.ofMinutes(6));
		tool.call(INPUT, ALICE);
		this.fixture.clock.advance(Duration.ofMinutes(6));
		tool.call(INPUT, ALICE);
		assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, ALICE));
		this.fixture.clock.advance(Duration.ofMinutes(11));
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 4");
	}

	@Test
	void goesOnCountingWhenAProviderIsAskedAgain() {
		ToolCallbackProvider provider = this.fixture.tools()
			.wrap(ToolCallbackProvider.from(this.charge), OPTIONS.withLoopGuard(1, Duration.ofMinutes(10)));
		provider.getToolCallbacks()[0].call(INPUT, ALICE);
		assertThatExceptionOfType(ToolExecutionException.class)
			.isThrownBy(() -> provider.getToolCallbacks()[0].call(INPUT, ALICE));
	}

	@Test
	void rehearsesWhatTheOptionsSay() {
		ToolCallback tool = wrapped(OPTIONS.withDryRun(true));
		assertThat(tool.call(INPUT, ALICE)).contains("\"effect\":\"would_execute\"", "\"tool\":\"charge\"");
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void rehearsesWhatTheContextSays() {
		ToolCallback tool = wrapped(OPTIONS);
		ToolContext dryRun = new ToolContext(Map.of("sessionId", "alice", IdempotentTools.DRY_RUN, true));
		assertThat(tool.call(INPUT, dryRun)).contains("would_execute");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, dryRun)).contains("would_replay");
		this.fixture.claimElsewhere("charge", "alice", "{}");
		assertThat(tool.call("{}", dryRun)).contains("would_conflict");
		assertThat(this.charge.inputs()).hasSize(1);
	}

	@Test
	void readsInADryRunToo() {
		ToolContext dryRun = new ToolContext(Map.of(IdempotentTools.DRY_RUN, "true"));
		assertThat(wrapped(READING).call(INPUT, dryRun)).isEqualTo("answer 1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "yes", "1", "?1", "" })
	void runsNothingWhereNobodyCanTellWhetherItIsADryRun(String perhaps) {
		ToolContext context = new ToolContext(Map.of("sessionId", "alice", IdempotentTools.DRY_RUN, perhaps));
		for (IdempotentTools tools : List.of(this.fixture.tools(), IdempotentTools.disabled())) {
			ToolCallback tool = tools.wrap(this.charge, OPTIONS);
			assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, context))
				.withMessageContaining("neither true nor false");
		}
		assertThat(this.charge.inputs()).isEmpty();
	}

	@Test
	void runsWhatIsNoDryRun() {
		ToolContext real = new ToolContext(Map.of("sessionId", "alice", IdempotentTools.DRY_RUN, "false"));
		assertThat(wrapped(OPTIONS).call(INPUT, real)).isEqualTo("answer 1");
	}

	@Test
	void rehearsesWhenSwitchedOff() {
		IdempotentTools off = IdempotentTools.disabled();
		ToolContext dryRun = new ToolContext(Map.of("sessionId", "alice", IdempotentTools.DRY_RUN, true));
		assertThat(off.wrap(this.charge, OPTIONS).call(INPUT, dryRun)).contains("would_execute");
		assertThat(off.wrap(this.charge, OPTIONS.withDryRun(true)).call(INPUT)).contains("would_execute");
		assertThat(this.charge.inputs()).isEmpty();
		assertThat(off.wrap(this.charge, READING).call(INPUT, dryRun)).isEqualTo("answer 1");
	}

	@Test
	void hasAContextWhenSwitchedOff() {
		this.charge.answering((input) -> {
			IdempotencyContext context = IdempotencyContext.current();
			context.effect(Effect.CREATED);
			return context.steps().run("one", String.class, () -> context.key().scope().operation());
		});
		assertThat(IdempotentTools.disabled().wrap(this.charge, OPTIONS).call(INPUT)).isEqualTo("tool charge");
		assertThat(IdempotencyContext.find()).isEmpty();
	}

	@Test
	void tellsTheEffectWhereAsked() {
		this.charge.answering((input) -> "{\"id\":7}");
		ToolCallback tool = wrapped(OPTIONS.withEffect(Effect.CREATED));
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("{\"effect\":\"created\",\"result\":{\"id\":7}}");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("{\"effect\":\"noop\",\"result\":{\"id\":7}}");
	}

	@Test
	void tellsTheEffectThatTheToolNames() {
		this.charge.answering((input) -> {
			IdempotencyContext.current().effect(Effect.UPDATED);
			return "as you wish";
		});
		assertThat(wrapped(OPTIONS.withEffect(Effect.EXECUTED)).call(INPUT, ALICE))
			.isEqualTo("{\"effect\":\"updated\",\"result\":\"as you wish\"}");
	}

	@Test
	void tellsWhatIsKnownOfATool() {
		ToolCallback tool = wrapped(OPTIONS.withSideEffects(SideEffect.WRITE, SideEffect.DESTRUCTIVE));
		assertThat(SideEffect.of(tool)).containsExactlyInAnyOrder(SideEffect.WRITE, SideEffect.DESTRUCTIVE);
		assertThat(SideEffect.of(this.charge)).isEmpty();
		assertThat(tool.getToolDefinition().name()).isEqualTo("charge");
		assertThat(tool.getToolMetadata().returnDirect()).isFalse();
	}

	@Test
	void wrapsNoToolTwice() {
		IdempotentTools tools = this.fixture.tools();
		ToolCallback once = tools.wrap(this.charge, OPTIONS.withEffect(Effect.CREATED));
		assertThat(tools.wrap(once, OPTIONS).call(INPUT, ALICE)).isEqualTo("answer 1");
		assertThat(tools.wrap(new ToolCallback[] { once }, OPTIONS)).hasSize(1);
	}

	@Test
	void runsEachTimeWhenSwitchedOff() {
		ToolCallback tool = IdempotentTools.disabled().wrap(this.charge, OPTIONS.withSideEffects(SideEffect.WRITE));
		assertThat(tool.call(INPUT)).isEqualTo("answer 1");
		assertThat(tool.call(INPUT, ALICE)).isEqualTo("answer 2");
		assertThat(SideEffect.of(tool)).containsExactly(SideEffect.WRITE);
	}

	@Test
	void refusesOptionsThatMakeNoSense() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> OPTIONS.withSideEffects(SideEffect.READ, SideEffect.WRITE));
		assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withReadCache(Duration.ZERO, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withLoopGuard(-1, Duration.ofMinutes(1)));
		assertThatIllegalArgumentException().isThrownBy(() -> ToolSession.ofEntry(" "));
	}

	@Test
	void tellsTheModelThatTheResultIsGone() {
		this.charge.answering((input) -> "x".repeat(2 << 20));
		ToolCallback tool = wrapped(OPTIONS);
		tool.call(INPUT, ALICE);
		assertThatExceptionOfType(ToolExecutionException.class).isThrownBy(() -> tool.call(INPUT, ALICE))
			.withMessageContaining("Its result was not stored")
			.withCauseInstanceOf(ResultNotReplayableException.class);
		assertThat(this.charge.inputs()).hasSize(1);
	}

	@Test
	void refusesToStartWithWhatAToolCannotHave() {
		refuses(new Transactional(), "asks for more than ttl");
		refuses(new ForeverReading(), "without a ttl");
		refuses(new Torn(), "neither writes nor destroys");
	}

	private void refuses(Object tools, String message) {
		IdempotentTools wrapping = this.fixture.tools();
		ToolCallback tool = MethodToolCallbackProvider.builder().toolObjects(tools).build().getToolCallbacks()[0];
		assertThatExceptionOfType(IdempotencyConfigurationException.class)
			.isThrownBy(() -> wrapping.wrap(tool, OPTIONS))
			.withMessageContaining(message);
	}

	static final class Transactional {

		@Tool
		@Idempotent(transactional = true)
		public void work() {
		}

	}

	static final class ForeverReading {

		@Tool
		@Idempotent
		@SideEffects(SideEffect.READ)
		public void work() {
		}

	}

	static final class Torn {

		@Tool
		@SideEffects({ SideEffect.READ, SideEffect.DESTRUCTIVE })
		public void work() {
		}

	}

}
