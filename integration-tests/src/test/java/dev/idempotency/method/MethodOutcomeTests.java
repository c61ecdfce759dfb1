package dev.idempotency.method;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ReplayedFailureException;
import dev.idempotency.UnreadableResultException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What becomes of a key when its method fails, vanishes or changes its mind.
 */
class MethodOutcomeTests {

	private final MethodRunner methods = new MethodRunner();

	private final ApplicationContextRunner runner = this.methods.onThisStore().withBean(Shop.class);

	@Test
	void runsAgainAfterAFailure() {
		run((shop) -> {
			for (int i = 0; i < 3; i++) {
				assertThatIllegalStateException().isThrownBy(() -> shop.fail("1")).withMessage("broken");
			}
			assertThat(shop.runs()).hasSize(3);
		});
	}

	@Test
	void throwsAStoredFailureAgainAsItself() {
		run((shop) -> {
			Throwable first = catchThrowable(() -> shop.refuse("1", new NotEnoughMoneyException("5 euros short")));
			assertThat(first).isInstanceOf(NotEnoughMoneyException.class);
			assertThat(ReplayedFailureException.in(first)).isEmpty();
			Throwable again = catchThrowable(() -> shop.refuse("1", new NotEnoughMoneyException("something else")));
			assertThat(again).isInstanceOf(NotEnoughMoneyException.class).hasMessage("5 euros short");
			assertThat(ReplayedFailureException.in(again)).isPresent();
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void tellsOfAStoredFailureThatIsMoreThanItsMessage() {
		run((shop) -> {
			Throwable first = catchThrowable(() -> shop.refuse("1", new LimitException("over the limit", 100)));
			assertThat(first).isInstanceOf(LimitException.class);
			Throwable again = catchThrowable(() -> shop.refuse("1", new LimitException("over the limit", 100)));
			assertThat(again).isInstanceOfSatisfying(ReplayedFailureException.class, (replayed) -> {
				assertThat(replayed.failureType()).isEqualTo(LimitException.class.getName());
				assertThat(replayed.failureMessage()).isEqualTo("over the limit");
			});
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void tellsOfASubtypeOfAStoredFailure() {
		run((shop) -> {
			assertThat(catchThrowable(() -> shop.refuse("1", new NotEnoughMoneyException.Overdrawn())))
				.isInstanceOf(NotEnoughMoneyException.Overdrawn.class);
			assertThatExceptionOfType(ReplayedFailureException.class)
				.isThrownBy(() -> shop.refuse("1", new NotEnoughMoneyException.Overdrawn()))
				.satisfies((replayed) -> assertThat(replayed.failureMessage()).isNull());
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void runsAgainAfterAFailureThatIsNotListed() {
		run((shop) -> {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.refuse("1", new IOException("no")));
			}
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void storesALaterFailure() {
		run((shop) -> {
			for (int i = 0; i < 2; i++) {
				assertThat(shop.refuseLater("1")).failsWithin(Duration.ofSeconds(5))
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(NotEnoughMoneyException.class);
			}
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void doesNotKeepWhatIsNotToBeStored() {
		run((shop) -> {
			shop.undecided("1");
			shop.undecided("1");
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void knowsThatAnEarlierAttemptVanished() {
		run((shop) -> {
			crash("attempt", "1");
			assertThat(shop.attempt("1")).isEqualTo(2);
			assertThat(shop.attempt("1")).isEqualTo(2);
			assertThat(shop.attempt("2")).isEqualTo(1);
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void isRefusedAfterACrashIfItSaysSo() {
		run((shop) -> {
			crash("refusing", "1");
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> shop.refusing("1"))
				.withMessageContaining("refusing(java.lang.String)");
			assertThat(shop.runs()).isEmpty();
		});
	}

	@Test
	void asksWhetherAVanishedAttemptHasDoneTheWork() {
		run((shop) -> {
			crash("verified", "1");
			shop.known().put("1", new Receipt("1", 7));
			assertThat(shop.verified("1")).isEqualTo(new Receipt("1", 7));
			shop.known().clear();
			assertThat(shop.verified("1")).as("stored").isEqualTo(new Receipt("1", 7));
			assertThat(shop.runs()).containsExactly("ask");
		});
	}

	@Test
	void runsIfAVanishedAttemptIsNotKnownToHaveDoneTheWork() {
		run((shop) -> {
			crash("verified", "1");
			assertThat(shop.verified("1")).isEqualTo(new Receipt("1", 100));
			assertThat(shop.runs()).containsExactly("ask", "verified");
		});
	}

	@Test
	void asksNobodyBeforeAFirstAttempt() {
		run((shop) -> {
			shop.verified("1");
			shop.verified("1");
			assertThat(shop.runs()).containsExactly("verified");
		});
	}

	@Test
	void staysUndecidedIfWhoIsAskedFails() {
		run((shop) -> {
			crash("verified", "broken");
			assertThatIllegalStateException().isThrownBy(() -> shop.verified("broken")).withMessage("cannot tell");
			assertThatIllegalStateException().isThrownBy(() -> shop.verified("broken"));
			assertThat(shop.runs()).containsExactly("ask", "ask");
		});
	}

	@Test
	void isRefusedIfNobodyCanTellAndItSaysSo() {
		run((shop) -> {
			crash("verifiedOrRefused", "1");
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> shop.verifiedOrRefused("1"))
				.satisfies((ex) -> assertThat(ex.attempt()).isEqualTo(1));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> shop.verifiedOrRefused("1"));
			shop.known().put("1", new Receipt("1", 1));
			shop.verifiedOrRefused("1");
			shop.known().clear();
			shop.verifiedOrRefused("1");
			assertThat(shop.runs()).containsExactly("ask", "ask", "ask");
		});
	}

	@Test
	void doesNotRunAgainBecauseItsTypeHasChanged() {
		this.runner.withBean(Shop2.class).run((context) -> {
			Shop2 shop = context.getBean(Shop2.class);
			store(Shop2.class, "receipt", "1", "v{\"id\":\"1\",\"euros\":5}");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.receipt("1"))
				.withMessageContaining(Shop2.class.getName() + ".receipt(java.lang.String)")
				.withMessageContaining("does not fit " + Receipt.class.getName())
				.withMessageContaining("forget the key")
				.withMessageNotContaining("euros");
			store(Shop2.class, "receipt", "2", "v[1,2]");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.receipt("2"));
			store(Shop2.class, "receipt", "3", "?");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.receipt("3"));
			store(Shop2.class, "receipt", "4", "");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.receipt("4"));
			store(Shop2.class, "number", "1", "n");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.number("1"));
			store(Shop2.class, "receipt", "5", "v{\"@class\":\"java.lang.Object\",\"id\":\"1\",\"amount\":5}");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> shop.receipt("5"));
			assertThat(shop.count()).isZero();
		});
	}

	private void store(Class<?> type, String method, String value, String payload) {
		IdempotencyKey key = IdempotencyKey.of("%s.%s(java.lang.String)".formatted(type.getName(), method), value)
			.within(MethodRunner.NAMESPACE);
		this.methods.complete(key, Fingerprint.none(), payload);
	}

	private void crash(String method, String value) {
		this.methods.crash("%s.%s(java.lang.String)".formatted(Shop.class.getName(), method), value);
	}

	private void run(Consumer consumer) {
		this.runner.run((context) -> consumer.accept(context.getBean(Shop.class)));
	}

	interface Consumer {

		void accept(Shop shop) throws Exception;

	}

	record Receipt(String id, int amount) {
	}

	static class NotEnoughMoneyException extends Exception {

		private static final long serialVersionUID = 1L;

		NotEnoughMoneyException(@Nullable String message) {
			super(message);
		}

		static final class Overdrawn extends NotEnoughMoneyException {

			private static final long serialVersionUID = 1L;

			Overdrawn() {
				super(null);
			}

		}

	}

	static final class LimitException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		final int limit;

		LimitException(String message, int limit) {
			super(message);
			this.limit = limit;
		}

	}

	static class Shop {

		private final List<String> runs = new ArrayList<>();

		private final Map<String, Receipt> known = new HashMap<>();

		List<String> runs() {
			return this.runs;
		}

		Map<String, Receipt> known() {
			return this.known;
		}

		@Idempotent(key = "#id")
		public void fail(String id) {
			this.runs.add("fail");
			throw new IllegalStateException("broken");
		}

		@Idempotent(key = "#id", storeExceptions = { NotEnoughMoneyException.class, LimitException.class })
		public void refuse(String id, Exception failure) throws Exception {
			this.runs.add("refuse");
			throw failure;
		}

		@Idempotent(key = "#id", storeExceptions = NotEnoughMoneyException.class)
		public CompletableFuture<Receipt> refuseLater(String id) {
			this.runs.add("refuseLater");
			return CompletableFuture.failedFuture(new NotEnoughMoneyException("later"));
		}

		@Idempotent(key = "#id")
		public void undecided(String id) {
			this.runs.add("undecided");
			IdempotencyContext.current().doNotStore();
		}

		@Idempotent(key = "#id")
		public int attempt(String id) {
			this.runs.add("attempt");
			return IdempotencyContext.current().attempt();
		}

		@Idempotent(key = "#id", onCrash = OnCrash.REFUSE)
		public void refusing(String id) {
			this.runs.add("refusing");
		}

		@Idempotent(key = "#id", verify = "findReceipt")
		public Receipt verified(String id) {
			this.runs.add("verified");
			return new Receipt(id, 100);
		}

		@SuppressWarnings("UnusedMethod")
		private Optional<Receipt> findReceipt(String id) {
			this.runs.add("ask");
			if (id.equals("broken")) {
				throw new IllegalStateException("cannot tell");
			}
			return Optional.ofNullable(this.known.get(id));
		}

		@Idempotent(key = "#id", verify = "isDone", onCrash = OnCrash.REFUSE)
		public void verifiedOrRefused(String id) {
			this.runs.add("verifiedOrRefused");
		}

		boolean isDone(String id) {
			this.runs.add("ask");
			return this.known.containsKey(id);
		}

	}

	static class Shop2 {

		private int count;

		int count() {
			return this.count;
		}

		@Idempotent(key = "#id")
		public Receipt receipt(String id) {
			this.count++;
			return new Receipt(id, 1);
		}

		@Idempotent(key = "#id")
		public int number(String id) {
			this.count++;
			return 1;
		}

	}

}
