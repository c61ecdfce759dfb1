package dev.idempotency.method;

import java.lang.reflect.Method;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the key of a method can be made of, and what happens when that is not there.
 */
class MethodKeyTests {

	private static final String OPERATION = Shop.class.getName() + ".";

	private final ApplicationContextRunner runner = MethodRunner.plain().withBean(Shop.class);

	@Test
	void makesKeysOfArguments() {
		run((shop) -> {
			UUID id = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
			Order order = new Order(id, new Customer("ada"), Map.of("trace", "t-1"));
			shop.ofRecord(order);
			shop.ofPosition("x", 7);
			shop.joined("tenant", 42L, TimeUnit.DAYS, LocalDate.of(2026, 1, 2));
			shop.ofMethod(order);
			shop.ofMap(order);
			shop.ofOptional(Optional.of("here"));
			shop.daily();
			assertThat(shop.keys()).extracting(IdempotencyKey::value)
				.containsExactly(id.toString(), "7", "tenant:42:DAYS:2026-01-02", "ADA", "t-1", "here", "daily");
			assertThat(shop.keys()).extracting((key) -> key.scope().operation())
				.contains(OPERATION + "joined(java.lang.String,long,java.util.concurrent.TimeUnit,java.time.LocalDate)",
						OPERATION + "daily()");
		});
	}

	@Test
	void joinsPartsSoThatNoOthersGiveTheSameKey() {
		run((shop) -> {
			shop.joinedSafely("a:b", "c");
			shop.joinedSafely("a", "b:c");
			shop.joinedSafely("a%3Ab", "c");
			shop.joinedInside("a", Optional.of("b"), 7);
			assertThat(shop.keys()).extracting(IdempotencyKey::value)
				.containsExactly("a%3Ab:c", "a:b%3Ac", "a%253Ab:c", "of a-b:7%3Aa:DAYS");
		});
	}

	@Test
	void joinsNoPartThatIsMissingOrMalformed() {
		run((shop) -> {
			assertThatExceptionOfType(IdempotencyKeyMissingException.class)
				.isThrownBy(() -> shop.joinedSafely("a", null))
				.withMessageContaining("#key is null");
			assertThatExceptionOfType(IdempotencyKeyMissingException.class)
				.isThrownBy(() -> shop.joinedSafely(" ", "b"))
				.withMessageContaining("#user is blank");
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.joinedSafely("\ud800", "b"));
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.joinedSafely("a", ":".repeat(IdempotencyKey.MAX_LENGTH / 3)))
				.withMessageContaining("too long");
			assertThat(shop.keys()).isEmpty();
		});
	}

	@Test
	void callsAMethodOfAnArgumentThatIsCalledLikeTheFunction() {
		MethodKey key = MethodKey.parse("#value.join('x')", "pay", method("ofAnything"));
		assertThat(key.resolve(new Object[] { new Joiner() }).value()).isEqualTo("joined x");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOfKeysWhosePartsCanBeCutOtherwise(CapturedOutput output) {
		run((shop) -> assertThat(output)
			.containsOnlyOnce(
					"The key \"#tenant + ':' + #number + ':' + #unit + ':' + #day\" of " + OPERATION + "joined(")
			.containsOnlyOnce("Write join(#tenant, #number, #unit, #day) instead")
			.doesNotContain("joinedSafely", "joinedInside", "of " + OPERATION + "prefixed"));
	}

	@Test
	void refusesAKeyWithAHole() {
		run((shop) -> {
			assertThatExceptionOfType(IdempotencyKeyMissingException.class).isThrownBy(() -> shop.ofPosition("x", null))
				.withMessageContaining("\"#p1\"")
				.withMessageContaining(OPERATION + "ofPosition(java.lang.String,java.lang.Integer)")
				.withMessageContaining("is null")
				.withMessageContaining("Pass a value");
			assertThatExceptionOfType(IdempotencyKeyMissingException.class)
				.isThrownBy(() -> shop.joined(" ", 1, TimeUnit.DAYS, LocalDate.EPOCH))
				.withMessageContaining("#tenant is blank");
			assertThatExceptionOfType(IdempotencyKeyMissingException.class)
				.isThrownBy(() -> shop.ofOptional(Optional.empty()));
			assertThat(shop.keys()).isEmpty();
		});
	}

	@Test
	void refusesAnExpressionThatFails() {
		run((shop) -> {
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class).isThrownBy(() -> shop.ofRecord(null))
				.withMessageContaining("\"#order.id\"")
				.withMessageContaining(OPERATION + "ofRecord(")
				.withMessageContaining("#order.id fails")
				.withMessageContaining("Check the expression");
			assertThat(shop.keys()).isEmpty();
		});
	}

	@Test
	void refusesTextsThatDifferInEachProcess() {
		run((shop) -> {
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.ofAnything(new Object()))
				.withMessageContaining("#value is a java.lang.Object")
				.withMessageContaining("Use a text, a number");
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.ofAnything(List.of("a", "b")));
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.ofAnything("x".repeat(IdempotencyKey.MAX_LENGTH + 1)))
				.withMessageNotContaining("xxx");
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> shop.ofAnything("half \ud800 a pair"));
			assertThat(shop.keys()).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "#", "#order.", "T(java.lang.Runtime).getRuntime()", "new java.util.Date()",
			"@dataSource", "#order.id = 1", "#order.count++", "#nobody", "#root", "'constant'", "#p1",
			"#order + T(Math)", "#order.{T(java.lang.System)}", "systemProperties", "join(#order.id)", "join()",
			"join(#order.id, T(Math).PI)", "join(#order.id, #nobody)", "join('a', 'b')",
			"join(#order.id, 'b').toUpperCase()", "{join(#order.id, 'b')}", "#order.id ?: join(#order.id, 'b')",
			"#order.headers[join(#order.id, 'b')]", "#join(#order.id, 'b')" })
	void refusesWhatIsNoKey(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> MethodKey.parse(expression, "pay", method("ofRecord")));
	}

	@Test
	void evaluatesNothingButArguments() {
		MethodKey key = MethodKey.parse("#value.getClass().getName()", "pay", method("ofAnything"));
		assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
			.isThrownBy(() -> key.resolve(new Object[] { "text" }));
		MethodKey loading = MethodKey.parse("#value.class.classLoader.parent.toString()", "pay", method("ofAnything"));
		assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
			.isThrownBy(() -> loading.resolve(new Object[] { new Order(UUID.randomUUID(), null, Map.of()) }));
	}

	@Test
	void stopsStartUpForAKeyThatCannotBeUsed() {
		MethodRunner.plain().withBean(Mistaken.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("The key \"#ordre.id\" of " + Mistaken.class.getName() + ".pay(")
				.hasMessageContaining("there is no parameter ordre");
		});
	}

	@Test
	void keepsMethodsOverloadsAndBeansApart() {
		MethodRunner.plain().withBean(Shop.class).withBean(First.class).withBean(Second.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.overloaded("1")).isEqualTo("text");
			assertThat(shop.overloaded(1)).isEqualTo("number");
			assertThat(shop.other("1")).isEqualTo("other");
			assertThat(context.getBean(First.class).inherited("1")).isEqualTo("First");
			assertThat(context.getBean(Second.class).inherited("1")).isEqualTo("Second");
			assertThat(context.getBean(First.class).inherited("1")).isEqualTo("First");
		});
	}

	private void run(Consumer consumer) {
		this.runner.run((context) -> consumer.accept(context.getBean(Shop.class)));
	}

	private static Method method(String name) {
		for (Method method : ReflectionUtils.getDeclaredMethods(Shop.class)) {
			if (method.getName().equals(name)) {
				return method;
			}
		}
		throw new IllegalArgumentException(name);
	}

	interface Consumer {

		void accept(Shop shop);

	}

	static final class Joiner {

		public String join(String text) {
			return "joined " + text;
		}

	}

	record Customer(String name) {
	}

	record Order(UUID id, @Nullable Customer customer, Map<String, String> headers) {
	}

	static class Shop {

		private final List<IdempotencyKey> keys = new ArrayList<>();

		List<IdempotencyKey> keys() {
			return this.keys;
		}

		private void ran() {
			this.keys.add(IdempotencyContext.current().key());
		}

		@Idempotent(key = "#order.id")
		public void ofRecord(@Nullable Order order) {
			ran();
		}

		@Idempotent(key = "#p1")
		public void ofPosition(String first, @Nullable Integer second) {
			ran();
		}

		@Idempotent(key = "#tenant + ':' + #number + ':' + #unit + ':' + #day")
		public void joined(String tenant, long number, TimeUnit unit, LocalDate day) {
			ran();
		}

		@Idempotent(key = "join(#user, #key)")
		public void joinedSafely(String user, @Nullable String key) {
			ran();
		}

		@Idempotent(key = "'of ' + join(#a + '-b', join(#number, #b.isPresent() ? #a : #b), 'DAYS')")
		public void joinedInside(String a, Optional<String> b, int number) {
			ran();
		}

		@Idempotent(key = "'order ' + #id")
		public void prefixed(String id) {
			ran();
		}

		@Idempotent(key = "#order.customer.name().toUpperCase()")
		public void ofMethod(Order order) {
			ran();
		}

		@Idempotent(key = "#order.headers['trace']")
		public void ofMap(Order order) {
			ran();
		}

		@Idempotent(key = "#id")
		public void ofOptional(Optional<String> id) {
			ran();
		}

		@Idempotent(key = "#value")
		public void ofAnything(Object value) {
			ran();
		}

		@Idempotent(key = "'daily'", ttl = "20h")
		public void daily() {
			ran();
		}

		@Idempotent(key = "#id")
		public String overloaded(String id) {
			return "text";
		}

		@Idempotent(key = "#id")
		public String overloaded(int id) {
			return "number";
		}

		@Idempotent(key = "#id")
		public String other(String id) {
			return "other";
		}

	}

	abstract static class Base {

		@Idempotent(key = "#id")
		public String inherited(String id) {
			return getClass().getSimpleName();
		}

	}

	static class First extends Base {

	}

	static class Second extends Base {

	}

	static class Mistaken {

		@Idempotent(key = "#ordre.id")
		public void pay(Order order) {
		}

	}

}
