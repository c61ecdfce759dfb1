package dev.idempotency.call;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.IdempotencySession;
import dev.idempotency.OnCrash;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.ResultType;
import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.idempotency.call.CallFixture.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A task calls each tool once with the same inputs, in however many processes it takes to
 * come to its end.
 */
class SessionTests {

	private final CallFixture fixture = new CallFixture();

	private final List<String> calls = new CopyOnWriteArrayList<>();

	@Test
	void callsAToolOnceWithTheSameInputs() {
		IdempotencySession session = session("task 1");
		assertThat(call(session, "search", Map.of("text", "x", "limit", 10))).isEqualTo("search 1");
		assertThat(call(session, "search", new Search(10, "x"))).isEqualTo("search 1");
		assertThat(call(session, "search", Map.of("text", "y", "limit", 10))).isEqualTo("search 2");
		assertThat(call(session, "charge", Map.of("text", "x", "limit", 10))).isEqualTo("charge 3");
		assertThat(call(session("task 1"), "search", new Search(10, "x"))).isEqualTo("search 1");
		assertThat(call(session("task 2"), "search", new Search(10, "x"))).isEqualTo("search 4");
	}

	@Test
	void survivesARestart() {
		call(session("task"), "charge", "100 euros");
		this.fixture.restart();
		assertThat(call(session("task"), "charge", "100 euros")).isEqualTo("charge 1");
	}

	@Test
	void survivesACrash() {
		this.fixture.untilDeath(() -> {
			call(session("task"), "search", null);
			session("task").run("charge", "100 euros", () -> {
				throw this.fixture.death();
			});
		});
		assertThat(call(session("task"), "search", null)).isEqualTo("search 1");
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> call(session("task").withOnCrash(OnCrash.REFUSE), "charge", "100 euros"));
		session("task").run("charge", "100 euros",
				() -> assertThat(IdempotencyContext.current().mayHaveRun()).isTrue());
	}

	@Test
	void survivesACrashBeforeItsFirstCall() {
		this.fixture.untilDeath(() -> {
			this.fixture.faults = (verb) -> {
				throw this.fixture.death();
			};
			call(session("task"), "search", null);
		});
		assertThat(call(session("task"), "search", null)).isEqualTo("search 1");
	}

	@Test
	void callsAToolAgainThatFailed() {
		assertThatIllegalStateException().isThrownBy(() -> session("task").run("charge", null, () -> {
			throw new IllegalStateException("no");
		}));
		assertThat(call(session("task"), "charge", null)).isEqualTo("charge 1");
	}

	@Test
	void forgetsEveryCall() {
		IdempotencySession session = session("task");
		assertThat(session.forget()).isFalse();
		call(session, "search", 1);
		call(session, "search", 2);
		call(session("other"), "search", 1);
		assertThat(session.forget()).isTrue();
		assertThat(session.forget()).isFalse();
		assertThat(call(session, "search", 1)).isEqualTo("search 4");
		assertThat(call(session("task"), "search", 1)).isEqualTo("search 4");
		assertThat(session("task").forget()).isTrue();
		assertThat(call(session("task"), "search", 2)).isEqualTo("search 5");
		assertThat(call(session("other"), "search", 1)).isEqualTo("search 3");
	}

	@Test
	void forgetsEveryCallThroughAnyOfItsViews() {
		IdempotencySession session = session("task");
		call(session, "search", 1);
		assertThat(session.withOnCrash(OnCrash.REFUSE).forget()).isTrue();
		assertThat(call(session, "search", 1)).isEqualTo("search 2");
	}

	@Test
	void hearsInTimeThatItWasForgotten() {
		IdempotencySession session = session("task");
		call(session, "search", 1);
		assertThat(session("task").forget()).isTrue();
		this.fixture.clock.advance(TTL.dividedBy(4));
		assertThat(call(session, "search", 1)).isEqualTo("search 2");
		assertThat(call(session("task"), "search", 1)).isEqualTo("search 2");
	}

	@Test
	void remembersACallForItsTtlAfterItWasLastAskedFor() {
		IdempotencySession session = session("task");
		call(session, "search", 1);
		for (int i = 0; i < 5; i++) {
			this.fixture.clock.advance(TTL.minusMillis(1));
			assertThat(call(session, "search", 1)).isEqualTo("search 1");
		}
		this.fixture.clock.advance(TTL.minusMillis(1));
		assertThat(call(session("task"), "search", 1)).as("after a restart").isEqualTo("search 1");
		this.fixture.clock.advance(TTL);
		assertThat(call(session, "search", 1)).isEqualTo("search 2");
	}

	@Test
	void remembersForAsLongAsItIsTold() {
		IdempotencySession session = this.fixture.idempotency.withTtl(Duration.ofHours(1)).session("task");
		call(session, "search", 1);
		this.fixture.clock.advance(Duration.ofHours(1));
		assertThat(call(session, "search", 1)).isEqualTo("search 2");
	}

	@Test
	void takesTheLongestTtl() {
		IdempotencySession session = this.fixture.idempotency.withTtl(Duration.ofDays(3650)).session("task");
		assertThat(call(session, "search", 1)).isEqualTo("search 1");
		assertThat(call(session, "search", 1)).isEqualTo("search 1");
	}

	@Test
	void callsAToolOnceForSeveralThreads() {
		for (int round = 1; round <= 20; round++) {
			String task = "task " + round;
			assertThat(Race.run(8, () -> call(session(task), "search", 1))).containsOnly("search " + round);
		}
	}

	@Test
	void replaysGenericTypesAndNothing() {
		ResultType<List<Search>> type = new ResultType<>() {
		};
		List<Search> found = List.of(new Search(1, "x"));
		assertThat(this.<List<Search>>run("list", type, found)).isEqualTo(found);
		assertThat(this.<List<Search>>run("list", type, List.of())).isEqualTo(found);
		session("task").run("notify", 1, () -> this.calls.add("notify"));
		session("task").run("notify", 1, () -> this.calls.add("notify"));
		assertThat(this.calls).containsExactly("notify");
	}

	private <T> T run(String tool, ResultType<T> type, T result) {
		return session("task").run(tool, null, type, () -> result);
	}

	@Test
	void doesNotCallAToolAgainWhoseResultIsTooLarge() {
		String large = "x".repeat(2 << 20);
		assertThat(this.<String>run("read", ResultType.of(String.class), large)).isEqualTo(large);
		assertThatExceptionOfType(ResultNotReplayableException.class)
			.isThrownBy(() -> this.<String>run("read", ResultType.of(String.class), large));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "\ud83d" })
	void refusesAnIdThatTellsNothingApart(String id) {
		assertThatIllegalArgumentException().isThrownBy(() -> session(id));
		assertThatIllegalArgumentException().isThrownBy(() -> call(session("task"), id, 1));
	}

	@Test
	void showsNoIdToWhoeverReadsLogs() {
		session("secret").run("search", "secret", () -> {
			IdempotencyKey key = IdempotencyContext.current().key();
			assertThat(key.toString()).startsWith("dev.idempotency.session > search #").doesNotContain("secret");
			assertThat(key.value()).doesNotContain("secret");
			assertThat(key.scope())
				.isEqualTo(new IdempotencyScope("shop", "dev.idempotency.session > search", null, null));
		});
	}

	private IdempotencySession session(String id) {
		return this.fixture.idempotency.session(id);
	}

	private String call(IdempotencySession session, String tool, @Nullable Object inputs) {
		return session.run(tool, inputs, String.class, () -> work(tool));
	}

	private String work(String tool) {
		this.calls.add(tool);
		return tool + " " + this.calls.size();
	}

	record Search(int limit, String text) {
	}

}
