package dev.idempotency.call;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.idempotency.Idempotency;
import dev.idempotency.Outcome;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.ResultType;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.json.CanonicalJson;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

import static dev.idempotency.call.CallFixture.KEY;
import static dev.idempotency.call.CallFixture.POLICY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Results are read as the type that the caller names, or not at all: never as another,
 * and never by running the work again.
 */
class ResultCodecTests {

	private final CallFixture fixture = new CallFixture();

	private final AtomicInteger runs = new AtomicInteger();

	private final ResultCodec codec = new ResultCodec(JsonMapper.builder().build());

	@Test
	void comparesValuesAsTheirJson() {
		Map<String, Object> value = Map.of("b", List.of(new BigDecimal("1.50"), 2L, true, "\u20ac"), "a", Set.of(1));
		String json = "{\"a\":[1.0],\"b\":[15e-1,2,true,\"\\u20ac\"]}";
		assertThat(this.codec.digest(value)).isEqualTo(CanonicalJson.digest(json));
		assertThat(this.codec.digest(null)).isEqualTo(CanonicalJson.digest("null"));
		ResultCodec withHabits = new ResultCodec(JsonMapper.builder()
			.enable(SerializationFeature.WRAP_ROOT_VALUE, SerializationFeature.INDENT_OUTPUT)
			.enable(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS, JsonWriteFeature.ESCAPE_NON_ASCII)
			.build());
		assertThat(withHabits.digest(value)).isEqualTo(CanonicalJson.digest(json));
	}

	@Test
	void comparesSetsWhateverTheirOrderAndTheirDepth() {
		List<Object> items = new ArrayList<>(List.of(1, 2.0, "2", List.of(), Set.of(3), Map.of("a", Set.of(4))));
		byte[] digest = this.codec.digest(Map.of("set", new LinkedHashSet<>(items)));
		for (int i = 0; i < items.size(); i++) {
			Collections.rotate(items, 1);
			assertThat(this.codec.digest(Map.of("set", new LinkedHashSet<>(items)))).isEqualTo(digest);
		}
		items.remove(0);
		assertThat(this.codec.digest(Map.of("set", new LinkedHashSet<>(items)))).isNotEqualTo(digest);
		assertThat(this.codec.digest(new HashSet<>(Collections.singleton(null))))
			.isEqualTo(CanonicalJson.digest("[null]"));
	}

	@Test
	void doesNotRunAgainBecauseAResultCannotBeWritten() {
		List<Object> itself = new ArrayList<>();
		itself.add(itself);
		ResultType<List<Object>> type = new ResultType<>() {
		};
		assertThat(this.fixture.idempotency.execute(KEY, type, () -> counted(itself))).isSameAs(itself);
		assertThat(this.fixture.idempotency.attempt(KEY, type, () -> counted(itself)))
			.isEqualTo(new Outcome.NotReplayable<>());
		assertThatExceptionOfType(ResultNotReplayableException.class)
			.isThrownBy(() -> this.fixture.idempotency.execute(KEY, type, () -> counted(itself)))
			.withMessageContaining("pay #");
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void doesNotRunAgainBecauseAResultIsTooLarge() {
		String large = "x".repeat(2 << 20);
		assertThat(run(String.class, large)).isEqualTo(new Outcome.Executed<>(large));
		assertThat(run(String.class, large)).isEqualTo(new Outcome.NotReplayable<>());
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void doesNotReplayAResultOfWhichNothingCouldBeWritten() {
		Opaque opaque = new Opaque("receipt 1");
		assertThat(run(Opaque.class, opaque)).isEqualTo(new Outcome.Executed<>(opaque));
		assertThat(run(Opaque.class, opaque)).isEqualTo(new Outcome.NotReplayable<>());
	}

	@Test
	void replaysAResultThatHasNothingToSay() {
		assertThat(run(Done.class, new Done())).isEqualTo(new Outcome.Executed<>(new Done()));
		assertThat(run(Done.class, new Done())).isEqualTo(new Outcome.Replayed<>(new Done()));
	}

	@Test
	void replaysAResultThatAlsoWritesWhatItComputes() {
		List<Total> totals = List.of(new Total(100, 19));
		ResultType<List<Total>> type = new ResultType<>() {
		};
		this.fixture.idempotency.execute(KEY, type, () -> totals);
		assertThat(this.fixture.payload(KEY)).contains("\"gross\":119").contains("\"free\":false");
		assertThat(this.fixture.idempotency.execute(KEY, type, List::of)).isEqualTo(totals);
	}

	@Test
	void saysWhichTypeAStoredResultDoesNotFit() {
		run(Receipt.class, new Receipt("1", BigDecimal.TEN, LocalDate.EPOCH));
		for (Class<?> other : List.of(Renamed.class, Integer.class, int.class, Colour.class)) {
			assertThatExceptionOfType(UnreadableResultException.class)
				.isThrownBy(() -> this.fixture.idempotency.execute(KEY, other, () -> counted(null)))
				.withMessageContaining("pay #" + KEY.within("shop").hash())
				.withMessageContaining(other.getCanonicalName().replace("ResultCodecTests.", "ResultCodecTests$"))
				.withMessageNotContaining("1970");
		}
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void doesNotTakeNothingForANumber() {
		this.fixture.idempotency.execute(KEY, () -> {
		});
		assertThatExceptionOfType(UnreadableResultException.class)
			.isThrownBy(() -> this.fixture.idempotency.execute(KEY, int.class, () -> 1));
		assertThat(run(Optional.class, Optional.empty())).isInstanceOf(Outcome.Replayed.class);
	}

	@Test
	void takesAnAnswerToSomethingElseForWhatItIs() {
		this.fixture.memory.complete(this.fixture.claimElsewhere(KEY),
				StoredResult.of("HTTP".getBytes(StandardCharsets.UTF_8)), CallFixture.TTL);
		assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> run(String.class, "never"))
			.withMessageContaining("not written by a call");
		assertThat(this.runs).hasValue(0);
	}

	@Test
	void ignoresDefaultTypingOfTheApplication() {
		JsonMapper typing = JsonMapper.builder()
			.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
					DefaultTyping.NON_FINAL_AND_RECORDS)
			.build();
		assertThat(typing.writeValueAsString(new Receipt("1", BigDecimal.TEN, LocalDate.EPOCH)))
			.contains(Receipt.class.getName());
		Idempotency idempotency = this.fixture.template(EngineSettings.of("shop"), POLICY, typing);
		ResultType<Map<String, Receipt>> type = new ResultType<>() {
		};
		Map<String, Receipt> receipts = Map.of("a", new Receipt("1", BigDecimal.TEN, LocalDate.EPOCH));
		idempotency.execute(KEY, type, () -> receipts);
		assertThat(idempotency.execute(KEY, type, Map::of)).isEqualTo(receipts);
		assertThat(this.fixture.payload(KEY))
			.isEqualTo("v{\"a\":{\"id\":\"1\",\"amount\":10,\"date\":\"1970-01-01\"}}");
	}

	@Test
	void keepsNoClassNameThatAnAnnotationAsksFor() {
		assertThat(run(Holder.class, new Holder(new NamedByClass("x")))).isInstanceOf(Outcome.Executed.class);
		assertThat(this.fixture.memory.find(KEY.within("shop")).toString()).doesNotContain("@class");
		assertThat(run(Holder.class, new Holder(new NamedByClass("x")))).isEqualTo(new Outcome.NotReplayable<>());
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void refusesTypesThatNameAClass() {
		for (Class<?> type : List.of(ByClass.class, NamedByClass.class, Holder.class, ByMinimalClass.class)) {
			assertThatIllegalArgumentException().as(type.getSimpleName())
				.isThrownBy(() -> this.codec.requireReadable(type))
				.withMessageContaining("use = NAME");
		}
	}

	@Test
	void refusesTypesThatCannotBeRead() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.codec.requireReadable(Object.class))
			.withMessageContaining("java.lang.Object");
		assertThatIllegalArgumentException().isThrownBy(() -> this.codec.requireReadable(Readable.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { void.class, Void.class, int.class, String.class, Receipt.class, Done.class, Colour.class,
			Shape.class, LocalDate.class, Optional.class, byte[].class })
	void acceptsTypesThatCanBeRead(Class<?> type) {
		assertThatNoException().isThrownBy(() -> this.codec.requireReadable(type));
	}

	@Test
	void replaysTypesThatNameThemselvesByAName() {
		assertThat(run(Shape.class, new Circle(2))).isEqualTo(new Outcome.Executed<>(new Circle(2)));
		assertThat(run(Shape.class, new Circle(3))).isEqualTo(new Outcome.Replayed<>(new Circle(2)));
		assertThat(this.fixture.payload(KEY)).isEqualTo("v{\"kind\":\"circle\",\"radius\":2}");
	}

	@Test
	void runsEverythingEachTimeWhenItIsSwitchedOff() {
		Idempotency off = IdempotencyTemplate.disabled();
		assertThat(off.attempt(KEY, Integer.class, () -> counted(1))).isEqualTo(new Outcome.Executed<>(1));
		assertThat(off.withTtl(CallFixture.TTL).execute(KEY, Integer.class, () -> counted(2))).isEqualTo(2);
		off.execute(KEY, () -> counted(3));
		assertThat(off.session("s").<Integer, RuntimeException>run("tool", null, Integer.class, () -> counted(4)))
			.isEqualTo(4);
		assertThat(off.session("s").<Integer, RuntimeException>run("tool", null, Integer.class, () -> counted(5)))
			.isEqualTo(5);
		assertThat(off.session("s").forget()).isFalse();
		assertThat(off.find(KEY)).isEmpty();
		assertThat(off.forget(KEY)).isFalse();
		assertThat(this.runs).hasValue(5);
	}

	private <T> Outcome<T> run(Class<T> type, T value) {
		return this.fixture.idempotency.attempt(KEY, type, () -> counted(value));
	}

	@SuppressWarnings("NullAway") // Gives back what it gets
	private <T> T counted(@Nullable T value) {
		this.runs.incrementAndGet();
		return value;
	}

	record Receipt(String id, BigDecimal amount, LocalDate date) {
	}

	record Renamed(String number, BigDecimal amount, LocalDate date) {
	}

	record Done() {
	}

	record Total(int net, int tax) {

		public int getGross() {
			return this.net + this.tax;
		}

		public boolean isFree() {
			return getGross() == 0;
		}

		public Map<String, Integer> getParts() {
			return Map.of("net", this.net, "tax", this.tax);
		}

	}

	enum Colour {

		RED

	}

	/**
	 * Shows nothing of itself.
	 */
	static final class Opaque {

		private final String content;

		Opaque(String content) {
			this.content = content;
		}

		@Override
		public String toString() {
			return this.content;
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
	@JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
	interface Shape {

	}

	record Circle(int radius) implements Shape {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
	interface ByClass {

	}

	record NamedByClass(String value) implements ByClass {
	}

	record Holder(ByClass held) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
	record ByMinimalClass(String value) {
	}

}
