package dev.idempotency.method;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import dev.idempotency.OperationInProgressException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.method.ReturnKinds.Kind;
import dev.idempotency.method.ReturnKinds.Receipt;
import dev.idempotency.method.ReturnKinds.Shop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Whatever a method returns, its retries return an equal value, and the method does not
 * run.
 */
class MethodResultTests {

	private final ApplicationContextRunner runner = MethodRunner.plain().withBean(Shop.class);

	@ParameterizedTest
	@EnumSource
	void returnsTheSameAgain(Kind kind) {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			Object first = kind.call(shop, "1");
			Object again = kind.call(shop, "1");
			assertThat(again).isEqualTo(first);
			assertThat(shop.runs()).isEqualTo(Map.of(kind.name(), 1));
			kind.call(shop, "2");
			assertThat(shop.runs()).isEqualTo(Map.of(kind.name(), 2));
		});
	}

	@Test
	void storesALaterResultWhenItComes() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			CompletableFuture<Receipt> first = shop.later("1");
			assertThat(first).isNotDone();
			assertThat(shop.later("1")).failsWithin(Duration.ofSeconds(5))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(OperationInProgressException.class);
			Receipt receipt = new Receipt("1", BigDecimal.TEN, LocalDate.EPOCH);
			shop.pending().complete(receipt);
			assertThat(first).isCompletedWithValue(receipt);
			assertThat(shop.later("1")).isCompletedWithValue(receipt);
			assertThat(shop.runs()).isEqualTo(Map.of("later", 1));
		});
	}

	@Test
	void givesTheKeyBackWhenALaterResultFails() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			CompletableFuture<Receipt> first = shop.later("1");
			shop.pending().completeExceptionally(new IllegalStateException("no"));
			assertThat(first).failsWithin(Duration.ofSeconds(5))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(IllegalStateException.class)
				.withMessageContaining("no");
			shop.beginAnew();
			assertThat(shop.later("1")).isNotDone();
			assertThat(shop.runs()).isEqualTo(Map.of("later", 2));
		});
	}

	@Test
	void doesNotRunAgainBecauseItsResultCannotBeWritten() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.unwritable("1").node()).isNotNull();
			assertThatExceptionOfType(ResultNotReplayableException.class).isThrownBy(() -> shop.unwritable("1"))
				.withMessageContaining(Shop.class.getName() + ".unwritable(java.lang.String)")
				.withMessageContaining("too large, or could not be written and read back");
			assertThat(shop.runs()).isEqualTo(Map.of("unwritable", 1));
		});
	}

	@Test
	void doesNotRunAgainBecauseItsResultIsTooLarge() {
		this.runner.withPropertyValues("idempotency.memory.max-size=10KB").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThat(shop.large("1")).hasSize(100_000);
			assertThatExceptionOfType(ResultNotReplayableException.class).isThrownBy(() -> shop.large("1"));
			assertThat(shop.runs()).isEqualTo(Map.of("large", 1));
		});
	}

}
