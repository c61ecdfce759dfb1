package dev.idempotency.call;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.Steps;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.idempotency.call.CallFixture.KEY;
import static dev.idempotency.call.CallFixture.LEASE;
import static dev.idempotency.call.CallFixture.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a step came to is not worked out again, whatever became of the operation that it
 * is a part of.
 */
class StepsTests {

	private final CallFixture fixture = new CallFixture();

	private final List<String> ran = new CopyOnWriteArrayList<>();

	@Test
	void replaysFinishedStepsAfterACrash() {
		this.fixture.untilDeath(() -> operation(() -> {
			step("reserve");
			step("charge");
			throw this.fixture.death();
		}));
		operation(() -> {
			assertThat(IdempotencyContext.current().attempt()).isEqualTo(2);
			assertThat(step("reserve")).isEqualTo("reserve 1");
			assertThat(step("charge")).isEqualTo("charge 2");
			assertThat(step("ship")).isEqualTo("ship 3");
		});
		assertThat(this.ran).containsExactly("reserve", "charge", "ship");
	}

	@Test
	void replaysFinishedStepsAfterAFailure() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> operation(() -> {
			step("charge");
			throw new IllegalStateException("no stock");
		}));
		operation(() -> {
			assertThat(IdempotencyContext.current().mayHaveRun()).isFalse();
			assertThat(step("charge")).isEqualTo("charge 1");
		});
		assertThat(this.ran).containsExactly("charge");
	}

	@Test
	void runsAStepAgainThatFailed() {
		IOException broken = new IOException("broken pipe");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.fixture.idempotency.execute(KEY, () -> steps().run("charge", () -> {
				throw broken;
			})))
			.isSameAs(broken);
		operation(() -> assertThat(step("charge")).isEqualTo("charge 1"));
	}

	@Test
	void runsAStepAgainThatHadBegun() {
		this.fixture.untilDeath(() -> operation(() -> steps().run("charge", () -> {
			throw this.fixture.death();
		})));
		operation(() -> steps().run("charge", () -> {
			assertThat(IdempotencyContext.current().attempt()).isEqualTo(2);
			assertThat(IdempotencyContext.current().mayHaveRun()).isTrue();
			this.ran.add("charge");
		}));
		assertThat(this.ran).containsExactly("charge");
	}

	@Test
	void doesNotRunAStepAgainThatHadBegunWhereItIsToldNotTo() {
		this.fixture.untilDeath(() -> operation(() -> steps().run("charge", () -> {
			throw this.fixture.death();
		})));
		assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(
				() -> operation(() -> steps().withOnCrash(OnCrash.REFUSE).run("charge", () -> this.ran.add("charge"))))
			.withMessageContaining("pay > charge");
		assertThat(this.ran).isEmpty();
	}

	@Test
	void refusesANameThatWasUsedInTheSameAttempt() {
		operation(() -> {
			step("charge");
			assertThatIllegalStateException().isThrownBy(() -> step("charge")).withMessageContaining("\"charge\"");
			assertThatIllegalStateException().isThrownBy(() -> steps().withOnCrash(OnCrash.REFUSE).run("charge", () -> {
			}));
		});
	}

	@Test
	void tellsStepsOfOneNameApartByTheirInputs() {
		Map<String, @Nullable Object> inputs = new LinkedHashMap<>();
		inputs.put("item", Map.of("id", 1, "size", "L"));
		inputs.put("count", 2);
		Map<String, @Nullable Object> sameInputs = new LinkedHashMap<>();
		sameInputs.put("count", 2L);
		sameInputs.put("item", new Item(1, "L"));
		operation(() -> {
			assertThat(step("ship", inputs)).isEqualTo("ship 1");
			assertThat(step("ship", sameInputs)).isEqualTo("ship 1");
			assertThat(step("ship", Map.of("count", 3))).isEqualTo("ship 2");
			assertThat(step("ship", null)).isEqualTo("ship 3");
			assertThat(step("ship", "text")).isEqualTo("ship 4");
			assertThat(step("ship", new BigDecimal("1.00000000000000000001"))).isEqualTo("ship 5");
			assertThat(step("ship", new BigDecimal("1.00000000000000000002"))).isEqualTo("ship 6");
			assertThat(step("ship")).isEqualTo("ship 7");
			assertThat(step("send", inputs)).isEqualTo("send 8");
		});
	}

	@Test
	void ignoresTheOrderOfSetsInInputs() {
		List<String> names = new ArrayList<>(List.of("a", "b", "c", "d", "e", "f"));
		operation(() -> {
			step("tag", Map.of("tags", Set.copyOf(names)));
			for (int i = 0; i < 5; i++) {
				Collections.rotate(names, 1);
				assertThat(step("tag", Map.of("tags", new LinkedHashSet<>(names)))).isEqualTo("tag 1");
				assertThat(step("tag", new Tagged(new LinkedHashSet<>(names)))).isEqualTo("tag 1");
			}
		});
	}

	@Test
	void refusesInputsThatCannotBeCompared() {
		List<Object> itself = new ArrayList<>();
		itself.add(itself);
		for (Object inputs : List.of(new Object(), new Opaque(), Map.of("opaque", new Opaque()), itself, Double.NaN)) {
			assertThatIllegalArgumentException().isThrownBy(() -> operation(() -> step("ship", inputs)));
		}
		assertThat(this.ran).isEmpty();
	}

	@Test
	void doesNotReplayTheStepsOfAnotherRequest() {
		Idempotency hundred = this.fixture.idempotency.withFingerprint(Fingerprint.sha256(new byte[] { 100 }));
		Idempotency twoHundred = this.fixture.idempotency.withFingerprint(Fingerprint.sha256(new byte[] { 1 }));
		assertThatIllegalStateException().isThrownBy(() -> hundred.execute(KEY, () -> {
			step("charge");
			throw new IllegalStateException("failed");
		}));
		assertThatIllegalStateException().isThrownBy(() -> twoHundred.execute(KEY, () -> {
			assertThat(step("charge")).isEqualTo("charge 2");
			throw new IllegalStateException("failed");
		}));
		hundred.execute(KEY, () -> assertThat(step("charge")).isEqualTo("charge 1"));
	}

	@Test
	void doesNotShareTheStepsOfOthers() {
		List<IdempotencyKey> keys = List.of(KEY, IdempotencyKey.of("pay", "key 2"), IdempotencyKey.of("refund", "key"),
				new IdempotencyKey(new IdempotencyScope("", "pay", "alice", null), "key"),
				new IdempotencyKey(new IdempotencyScope("", "pay", "bob", null), "key"),
				new IdempotencyKey(new IdempotencyScope("", "pay", null, "alice"), "key"),
				new IdempotencyKey(new IdempotencyScope("bank", "pay", null, null), "key"));
		for (int i = 0; i < keys.size(); i++) {
			String expected = "charge " + (i + 1);
			this.fixture.idempotency.execute(keys.get(i),
					() -> assertThat(steps().run("charge", String.class, () -> work("charge"))).isEqualTo(expected));
		}
	}

	@Test
	void forgetsStepsWithTheirOperation() {
		assertThatIllegalStateException().isThrownBy(() -> operation(() -> {
			step("charge");
			throw new IllegalStateException("failed");
		}));
		// Nothing but steps is left
		assertThat(this.fixture.idempotency.find(KEY)).isEmpty();
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		assertThat(this.fixture.idempotency.forget(KEY)).isFalse();
		operation(() -> assertThat(step("charge")).isEqualTo("charge 2"));
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		operation(() -> assertThat(step("charge")).isEqualTo("charge 3"));
	}

	@Test
	void runsStepsOnSeveralThreads() {
		AtomicInteger next = new AtomicInteger();
		for (int attempt = 1; attempt <= 2; attempt++) {
			next.set(0);
			assertThatIllegalStateException().isThrownBy(() -> operation(() -> {
				Steps steps = steps();
				List<String> results = Race.run(8, () -> {
					String name = "part " + next.incrementAndGet();
					return steps.run(name, String.class, () -> work(name));
				});
				assertThat(results).doesNotHaveDuplicates();
				throw new IllegalStateException("failed");
			}));
			assertThat(this.ran).hasSize(8);
		}
	}

	@Test
	void runsOneOfSeveralThreadsThatWantTheSameStep() {
		operation(() -> {
			Steps steps = steps();
			assertThat(Race.run(8, () -> steps.run("part", Map.of(), String.class, () -> work("part"))))
				.containsOnly("part 1");
		});
	}

	@Test
	void replaysStepsInsideOfSteps() {
		for (int attempt = 1; attempt <= 2; attempt++) {
			assertThatIllegalStateException().isThrownBy(() -> operation(() -> {
				step("same");
				steps().run("outer", () -> {
					step("same");
					throw new IllegalStateException("failed");
				});
			}));
		}
		assertThat(this.ran).containsExactly("same", "same");
		assertThat(this.fixture.idempotency.forget(KEY)).isTrue();
		operation(() -> steps().run("outer", () -> assertThat(step("same")).isEqualTo("same 3")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "steps", "session", " > steps", "a\0b", "a:b", "\ud83d\ude00", "\n" + "x", "%s{}" })
	void takesOddNames(String name) {
		operation(() -> assertThat(step(name)).isEqualTo(name + " 1"));
		assertThat(this.fixture.idempotency.find(KEY)).isPresent();
	}

	@Test
	void takesLongNamesOfStepsAndOperations() {
		String name = "\ud83d\ude00".repeat(127) + "x";
		for (int length : List.of(2048, 2047, 1800, 1791, 1790, 1789)) {
			String operation = "\ud83d\ude00".repeat(length / 2);
			IdempotencyKey key = IdempotencyKey.of(operation, "key " + length);
			IdempotencyKey other = IdempotencyKey.of("x" + operation.substring(2), "key " + length);
			this.fixture.idempotency.execute(key, () -> step(name));
			this.fixture.idempotency.execute(other, () -> step(name));
		}
		assertThat(this.ran).hasSize(12);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n", "\ud83d" })
	void refusesNamesThatAreNone(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> operation(() -> step(name)));
		assertThatIllegalArgumentException().isThrownBy(() -> operation(() -> step("x".repeat(256))));
		assertThat(this.ran).isEmpty();
	}

	@Test
	void remembersStepsForAsLongAsTheirOperationIsTried() {
		for (int i = 0; i < 5; i++) {
			this.fixture.untilDeath(() -> operation(() -> {
				assertThat(step("charge")).isEqualTo("charge 1");
				throw this.fixture.death();
			}));
			this.fixture.clock.advance(TTL.minus(LEASE).minusMillis(1));
		}
		operation(() -> assertThat(IdempotencyContext.current().attempt()).isEqualTo(6));
		assertThat(this.ran).containsExactly("charge");
	}

	@Test
	void triesAStepOnceMoreInTheSameAttempt() {
		operation(() -> {
			assertThatIllegalStateException().isThrownBy(() -> steps().run("charge", () -> {
				throw new IllegalStateException("busy");
			})).withMessage("busy");
			assertThat(step("charge")).isEqualTo("charge 1");
		});
	}

	@Test
	void forgetsStepsNoLaterThanTheirOperation() {
		operation(() -> {
			step("charge");
			this.fixture.clock.advance(Duration.ofSeconds(10));
		});
		this.fixture.clock.advance(TTL.minusMillis(1));
		operation(() -> this.ran.add("never"));
		this.fixture.clock.advance(Duration.ofMillis(1));
		operation(() -> assertThat(step("charge")).isEqualTo("charge 2"));
		assertThat(this.ran).doesNotContain("never");
	}

	@Test
	void namesTheStepWhoseResultDoesNotFit() {
		assertThatIllegalStateException().isThrownBy(() -> operation(() -> {
			step("charge");
			throw new IllegalStateException("failed");
		}));
		assertThatExceptionOfType(UnreadableResultException.class)
			.isThrownBy(() -> operation(() -> steps().run("charge", Item.class, () -> new Item(1, "L"))))
			.withMessageContaining("pay > charge")
			.withMessageContaining(Item.class.getName());
	}

	private void operation(Runnable work) {
		this.fixture.idempotency.execute(KEY, work::run);
	}

	private static Steps steps() {
		return IdempotencyContext.current().steps();
	}

	private String step(String name) {
		return steps().run(name, String.class, () -> work(name));
	}

	private String step(String name, @Nullable Object inputs) {
		return steps().run(name, inputs, String.class, () -> work(name));
	}

	private String work(String name) {
		this.ran.add(name);
		return name + " " + this.ran.size();
	}

	record Item(int id, String size) {
	}

	record Tagged(Set<String> tags) {
	}

	/**
	 * Shows nothing of itself.
	 */
	static final class Opaque {

	}

}
