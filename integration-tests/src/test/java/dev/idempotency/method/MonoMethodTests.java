package dev.idempotency.method;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ReplayedFailureException;
import dev.idempotency.autoconfigure.IdempotencySwitchAutoConfiguration;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.reactive.StoreThreads;
import dev.idempotency.test.Race;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Protected methods that return a Mono: each subscription is a call. On a store that is
 * asked on the thread of the caller, and on one that is asked on threads of its own.
 */
@Timeout(60)
@ParameterizedClass
@ValueSource(booleans = { false, true })
class MonoMethodTests {

	private final MethodRunner methods = new MethodRunner();

	private final ApplicationContextRunner runner;

	MonoMethodTests(boolean blocking) {
		this.runner = this.methods.onThisStore()
			.withBean(StoreThreads.class, () -> new StoreThreads(4, 100, StoreThreads.platformThreads(), blocking));
	}

	@Test
	void runsOnceHoweverOftenItIsSubscribedTo() {
		run((shop) -> {
			Mono<Receipt> pay = shop.pay("1");
			assertThat(shop.runs()).as("nothing runs before it is subscribed to").isEmpty();
			assertThat(this.methods.store.find(shop.keyOf("pay", "1"))).isEmpty();
			Receipt first = pay.block();
			assertThat(pay.block()).isEqualTo(first);
			assertThat(shop.pay("1").block()).isEqualTo(first);
			assertThat(shop.pay("2").block()).isNotEqualTo(first);
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void takesItsKeyWhenItIsCalled() {
		run((shop) -> {
			List<String> ids = new ArrayList<>(List.of("1"));
			Mono<Integer> count = shop.count(ids);
			ids.set(0, "2");
			count.block();
			assertThat(this.methods.store.find(shop.keyOf("count", "1", List.class))).isPresent();
		});
	}

	@Test
	void failsWithoutAKey() {
		run((shop) -> {
			Mono<String> missing = shop.missing(Optional.empty());
			assertThatExceptionOfType(IdempotencyKeyMissingException.class).isThrownBy(missing::block);
		});
	}

	@Test
	void refusesWhileItRunsOrWaits() {
		run((shop) -> {
			AtomicReference<@Nullable Receipt> first = new AtomicReference<>();
			shop.pending("1").subscribe(first::set);
			await().until(() -> shop.runs().size() == 1);
			assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> shop.pending("1").block());
			shop.gate().tryEmitValue(new Receipt("1", 5));
			await().untilAsserted(() -> assertThat(first.get()).isEqualTo(new Receipt("1", 5)));
			assertThat(shop.pending("1").block()).isEqualTo(new Receipt("1", 5));
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void waitsIfItSaysSo() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			IdempotencyEngine engine = context.getBean(IdempotencyEngine.class);
			List<Receipt> answers = new CopyOnWriteArrayList<>();
			for (int i = 0; i < 20; i++) {
				shop.patient("1").subscribe(answers::add);
			}
			await().until(() -> engine.attemptsWaiting() == 19);
			shop.gate().tryEmitValue(new Receipt("1", 5));
			await().untilAsserted(() -> assertThat(answers).hasSize(20).containsOnly(new Receipt("1", 5)));
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void goesOnWhenItsSubscriberCancels() {
		run((shop) -> {
			Disposable gone = shop.pending("1").subscribe();
			await().until(() -> shop.runs().size() == 1);
			gone.dispose();
			shop.gate().tryEmitValue(new Receipt("1", 5));
			await().untilAsserted(
					() -> assertThat(shop.pending("1").onErrorComplete().block()).isEqualTo(new Receipt("1", 5)));
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void doesNotBeginForASubscriberWhoHasGone() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			IdempotencyEngine engine = context.getBean(IdempotencyEngine.class);
			shop.patient("1").subscribe();
			await().until(() -> shop.runs().size() == 1);
			Disposable waiting = shop.patient("1").subscribe();
			await().until(() -> engine.attemptsWaiting() == 1);
			waiting.dispose();
			await().until(() -> engine.attemptsWaiting() == 0);
			shop.gate().tryEmitError(new IllegalStateException("broken"));
			await().until(() -> engine.executionsInProgress() == 0);
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void keepsNoKeyOfWhoeverCancelsAtAnyMoment() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			IdempotencyEngine engine = context.getBean(IdempotencyEngine.class);
			for (int round = 0; round < LongRun.choose(300, 5_000); round++) {
				String id = "round-" + round;
				Disposable one = shop.pay(id).subscribeOn(Schedulers.parallel()).subscribe();
				for (int spin = ThreadLocalRandom.current().nextInt(2_000); spin > 0; spin--) {
					Thread.onSpinWait();
				}
				one.dispose();
			}
			await().until(() -> engine.executionsInProgress() == 0);
			assertThat(new HashSet<>(shop.runs())).as("each at most once").hasSameSizeAs(shop.runs());
		});
	}

	@Test
	void runsAgainAfterAFailure() {
		run((shop) -> {
			Mono<Receipt> fail = shop.fail("1");
			for (int i = 0; i < 3; i++) {
				assertThatIllegalStateException().isThrownBy(fail::block).withMessage("broken");
			}
			assertThatIllegalStateException().isThrownBy(() -> shop.failAtOnce("1").block()).withMessage("broken");
			assertThatIllegalStateException().isThrownBy(() -> shop.failAtOnce("1").block());
			assertThat(shop.runs()).hasSize(5);
		});
	}

	@Test
	void runsAgainAfterAnError() {
		run((shop) -> {
			for (int i = 0; i < 2; i++) {
				assertThat(catchThrowable(() -> shop.die("1").block(Duration.ofSeconds(10))))
					.isInstanceOf(LinkageError.class);
			}
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void throwsAStoredFailureAgainAsItself() {
		run((shop) -> {
			assertThat(catchThrowable(() -> shop.refuse("1", "5 euros short").block()))
				.isInstanceOf(NotEnoughMoneyException.class)
				.hasMessage("5 euros short");
			Throwable again = catchThrowable(() -> shop.refuse("1", "something else").block());
			assertThat(again).isInstanceOf(NotEnoughMoneyException.class).hasMessage("5 euros short");
			assertThat(ReplayedFailureException.in(again)).isPresent();
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void replaysNothingAsNothing() {
		run((shop) -> {
			assertThat(shop.nothing("1").hasElement().block()).isFalse();
			assertThat(shop.nothing("1").hasElement().block()).isFalse();
			assertThat(shop.nobody("1").hasElement().block()).isFalse();
			assertThat(shop.nobody("1").hasElement().block()).isFalse();
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void doesNotKeepWhatIsNotToBeStored() {
		run((shop) -> {
			shop.undecided("1").block();
			shop.undecided("1").block();
			assertThat(shop.runs()).hasSize(2);
		});
	}

	@Test
	void knowsItsContextInItsPipelineAndWhereItBegins() {
		run((shop) -> {
			assertThat(shop.attempt("1").block()).isEqualTo("1 1");
			this.methods.crash(shop.operation("attempt", String.class), "2");
			assertThat(shop.attempt("2").block()).isEqualTo("2 2");
			assertThat(ReactiveIdempotencyContext.find().hasElement().block()).isFalse();
			assertThatIllegalStateException().isThrownBy(() -> ReactiveIdempotencyContext.current().block());
		});
	}

	@Test
	void asksWhetherAVanishedAttemptHasDoneTheWork() {
		run((shop) -> {
			for (String method : List.of("verified", "verifiedLater")) {
				this.methods.crash(shop.operation(method, String.class), "1");
				this.methods.crash(shop.operation(method, String.class), "2");
				shop.known().put("1", new Receipt("1", 7));
				Function<String, Mono<Receipt>> verified = method.equals("verified") ? shop::verified
						: shop::verifiedLater;
				assertThat(verified.apply("1").block()).isEqualTo(new Receipt("1", 7));
				assertThat(shop.runs()).containsExactly("ask");
				assertThat(verified.apply("2").block()).isEqualTo(new Receipt("2", 100));
				assertThat(shop.runs()).containsExactly("ask", "ask", method);
				this.methods.crash(shop.operation(method, String.class), "broken");
				assertThatIllegalStateException().isThrownBy(() -> verified.apply("broken").block())
					.withMessage("cannot tell");
				shop.known().clear();
				shop.runs().clear();
			}
		});
	}

	@Test
	void isRefusedIfNobodyCanTellAndItSaysSo() {
		run((shop) -> {
			this.methods.crash(shop.operation("refused", String.class), "1");
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> shop.refused("1").block());
			assertThat(shop.runs()).containsExactly("ask");
		});
	}

	@Test
	void remembersItsSteps() {
		run((shop) -> {
			assertThatIllegalStateException().isThrownBy(() -> shop.steps("1", true).block()).withMessage("broken");
			assertThat(shop.runs()).containsExactly("reserve", "charge a", "broken");
			assertThat(shop.steps("1", false).block()).isEqualTo("reserved 1, charged a, charged b");
			assertThat(shop.runs()).containsExactly("reserve", "charge a", "broken", "charge b");
			assertThat(shop.steps("1", false).block()).isEqualTo("reserved 1, charged a, charged b");
			assertThat(shop.runs()).hasSize(4);
		});
	}

	@Test
	void refusesAStepThatIsRunTwice() {
		run((shop) -> assertThatIllegalStateException().isThrownBy(() -> shop.sameStepTwice("1").block())
			.withMessageContaining("was run before in this attempt"));
	}

	@Test
	void keepsItsKeyByRenewalWhileItRuns() {
		this.runner.withPropertyValues("idempotency.lease=200ms").withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.pending("1").subscribe();
			await().until(() -> shop.runs().size() == 1);
			for (int i = 0; i < 5; i++) {
				this.methods.clock.advance(Duration.ofMillis(150));
				await().untilAsserted(
						() -> assertThat(this.methods.store.find(shop.keyOf("pending", "1")).orElseThrow().summary())
							.satisfies((record) -> assertThat(record.leaseLeft()).isEqualTo(Duration.ofMillis(200))));
			}
			shop.gate().tryEmitEmpty();
			await().until(() -> context.getBean(IdempotencyEngine.class).executionsInProgress() == 0);
			assertThat(shop.runs()).hasSize(1);
		});
	}

	@Test
	void runsEachTimeAndWithAContextWhenSwitchedOff() {
		this.runner.withConfiguration(AutoConfigurations.of(IdempotencySwitchAutoConfiguration.class))
			.withPropertyValues("idempotency.enabled=false")
			.withBean(Shop.class)
			.run((context) -> {
				Shop shop = context.getBean(Shop.class);
				assertThat(shop.attempt("1").block()).isEqualTo("1 1");
				assertThat(shop.attempt("1").block()).isEqualTo("1 1");
				assertThat(shop.steps("1", false).block()).isEqualTo("reserved 1, charged a, charged b");
			});
	}

	@Test
	void givesTwelveSubscribersTheResultOfOneExecution() {
		this.runner.withBean(Shop.class)
			.run((context) -> race(context.getBean(Shop.class), LongRun.choose(100, 3_000)));
	}

	static void race(Shop shop, int rounds) {
		for (int round = 0; round < rounds; round++) {
			String id = "race-" + round;
			Mono<Receipt> same = shop.slow(id);
			List<Receipt> answers = Flux.range(0, 12)
				.flatMap((i) -> ((i % 2 == 0) ? same : shop.slow(id))
					.delaySubscription(Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000)))
					.subscribeOn(Schedulers.parallel()), 12)
				.collectList()
				.block(Duration.ofSeconds(30));
			assertThat(answers).hasSize(12);
			assertThat(new HashSet<>(answers)).hasSize(1);
			assertThat(shop.runs()).hasSize(round + 1);
		}
	}

	@Test
	void givesTwelveCallersOfAFutureTheResultOfOneExecution() {
		run((shop) -> {
			for (int round = 0; round < LongRun.choose(50, 1_000); round++) {
				String id = "future-" + round;
				List<Receipt> answers = Race.run(12, () -> shop.future(id).join());
				assertThat(new HashSet<>(answers)).hasSize(1);
				assertThat(shop.future(id)).isCompletedWithValue(answers.get(0));
				assertThat(shop.runs()).hasSize(round + 1);
			}
		});
	}

	private void run(ShopTest test) {
		this.runner.withBean(Shop.class).run((context) -> test.with(context.getBean(Shop.class)));
	}

	private interface ShopTest {

		void with(Shop shop);

	}

	record Receipt(String id, int amount) {
	}

	static final class NotEnoughMoneyException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		NotEnoughMoneyException(String message) {
			super(message);
		}

	}

	static class Shop {

		private final List<String> runs = new CopyOnWriteArrayList<>();

		private final Map<String, Receipt> known = new ConcurrentHashMap<>();

		private final Sinks.One<Receipt> gate = Sinks.one();

		private final AtomicInteger amounts = new AtomicInteger();

		List<String> runs() {
			return this.runs;
		}

		Map<String, Receipt> known() {
			return this.known;
		}

		Sinks.One<Receipt> gate() {
			return this.gate;
		}

		String operation(String method, Class<?> parameter) {
			return "%s.%s(%s)".formatted(Shop.class.getName(), method, parameter.getName());
		}

		IdempotencyKey keyOf(String method, String value) {
			return keyOf(method, value, String.class);
		}

		IdempotencyKey keyOf(String method, String value, Class<?> parameter) {
			return IdempotencyKey.of(operation(method, parameter), value).within(MethodRunner.NAMESPACE);
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> pay(String id) {
			return Mono.fromSupplier(() -> {
				this.runs.add(id);
				return new Receipt(id, this.amounts.incrementAndGet());
			});
		}

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		public Mono<Receipt> slow(String id) {
			return Mono.delay(Duration.ofMillis(1)).map((tick) -> {
				this.runs.add(id);
				return new Receipt(id, this.amounts.incrementAndGet());
			});
		}

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		public CompletableFuture<Receipt> future(String id) {
			return Mono.delay(Duration.ofMillis(1)).map((tick) -> {
				this.runs.add(id);
				return new Receipt(id, this.amounts.incrementAndGet());
			}).toFuture();
		}

		@Idempotent(key = "#id")
		public Mono<String> missing(Optional<String> id) {
			return Mono.justOrEmpty(id);
		}

		@Idempotent(key = "#ids[0]")
		public Mono<Integer> count(List<String> ids) {
			return Mono.fromSupplier(ids::size);
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> pending(String id) {
			this.runs.add(id);
			return this.gate.asMono();
		}

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		public Mono<Receipt> patient(String id) {
			this.runs.add(id);
			return this.gate.asMono();
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> fail(String id) {
			return Mono.error(() -> {
				this.runs.add(id);
				return new IllegalStateException("broken");
			});
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> failAtOnce(String id) {
			this.runs.add(id);
			throw new IllegalStateException("broken");
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> die(String id) {
			return Mono.fromSupplier(() -> {
				this.runs.add(id);
				throw new LinkageError("of a handler");
			});
		}

		@Idempotent(key = "#id", storeExceptions = NotEnoughMoneyException.class)
		public Mono<Receipt> refuse(String id, String reason) {
			this.runs.add(id);
			return Mono.error(new NotEnoughMoneyException(reason));
		}

		@Idempotent(key = "#id")
		public Mono<Void> nothing(String id) {
			this.runs.add(id);
			return Mono.empty();
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> nobody(String id) {
			this.runs.add(id);
			return Mono.empty();
		}

		@Idempotent(key = "#id")
		public Mono<Receipt> undecided(String id) {
			return ReactiveIdempotencyContext.current().map((operation) -> {
				this.runs.add(id);
				operation.doNotStore();
				return new Receipt(id, 1);
			});
		}

		@Idempotent(key = "#id")
		public Mono<String> attempt(String id) {
			int begun = IdempotencyContext.current().attempt();
			return Mono.delay(Duration.ofMillis(1))
				.flatMap((tick) -> ReactiveIdempotencyContext.current())
				.map((operation) -> "%d %d".formatted(begun, operation.attempt()));
		}

		@Idempotent(key = "#id", verify = "ask")
		public Mono<Receipt> verified(String id) {
			this.runs.add("verified");
			return Mono.just(new Receipt(id, 100));
		}

		Optional<Receipt> ask(String id) {
			this.runs.add("ask");
			if (id.equals("broken")) {
				throw new IllegalStateException("cannot tell");
			}
			return Optional.ofNullable(this.known.get(id));
		}

		@Idempotent(key = "#id", verify = "askLater")
		public Mono<Receipt> verifiedLater(String id) {
			this.runs.add("verifiedLater");
			return Mono.just(new Receipt(id, 100));
		}

		Mono<Receipt> askLater(String id) {
			this.runs.add("ask");
			return id.equals("broken") ? Mono.error(new IllegalStateException("cannot tell"))
					: Mono.justOrEmpty(this.known.get(id));
		}

		@Idempotent(key = "#id", verify = "ask", onCrash = OnCrash.REFUSE)
		public Mono<Receipt> refused(String id) {
			this.runs.add("refused");
			return Mono.just(new Receipt(id, 100));
		}

		@Idempotent(key = "#id")
		public Mono<String> steps(String id, boolean breaks) {
			return ReactiveIdempotencyContext.steps()
				.run("reserve", String.class, work("reserve", "reserved " + id))
				.flatMap((reserved) -> charge("a").map((charged) -> reserved + ", " + charged))
				.flatMap((soFar) -> {
					if (breaks) {
						this.runs.add("broken");
						return Mono.error(new IllegalStateException("broken"));
					}
					return charge("b").map((charged) -> soFar + ", " + charged);
				});
		}

		private Mono<String> charge(String account) {
			return ReactiveIdempotencyContext.steps()
				.run("charge", account, String.class, work("charge " + account, "charged " + account));
		}

		private Mono<String> work(String run, String result) {
			return Mono.delay(Duration.ofMillis(1)).map((tick) -> {
				this.runs.add(run);
				return result;
			});
		}

		@Idempotent(key = "#id")
		public Mono<String> sameStepTwice(String id) {
			Mono<String> step = ReactiveIdempotencyContext.steps().run("same", String.class, Mono.just(id));
			return step.then(step);
		}

	}

}
