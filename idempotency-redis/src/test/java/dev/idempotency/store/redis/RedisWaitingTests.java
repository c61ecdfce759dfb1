package dev.idempotency.store.redis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.OnReplay;
import dev.idempotency.fixtures.NewThreads;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.POLICY;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static dev.idempotency.store.redis.RedisScene.proceed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Whoever waits for a key hears of its end from the server. Only the engine looks again
 * by itself: a store that wakes up has been told.
 */
@Timeout(120)
class RedisWaitingTests {

	private static final String SUBSCRIBERS = "CLIENT LIST TYPE pubsub";

	// Its subscribers are counted and killed
	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private static final LettuceConnectionFactory lettuce = RedisServers.lettuce(RedisServers.standalone(server));

	@AutoClose("destroy")
	private static final JedisConnectionFactory jedis = RedisServers.jedis(RedisServers.standalone(server));

	static Stream<RedisConnectionFactory> drivers() {
		return Stream.of(lettuce, jedis);
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void aPatientAttemptOnAnotherInstanceGetsTheResult(RedisConnectionFactory driver) {
		try (RedisIdempotencyStore here = new RedisIdempotencyStore(driver, PREFIX, 0);
				RedisIdempotencyStore there = new RedisIdempotencyStore(driver, PREFIX, 0);
				IdempotencyEngine executing = RedisScene.engine(here, OnStoreFailure.REJECT);
				IdempotencyEngine waiting = RedisScene.engine(there, OnStoreFailure.REJECT)) {
			IdempotencyKey key = newKey();
			Execution execution = proceed(executing, key);
			CompletableFuture<Decision> decision = CompletableFuture.supplyAsync(
					() -> waiting.begin(new Attempt(key, FINGERPRINT, POLICY.withPatience(Duration.ofMinutes(1)))));
			await().until(() -> server.send(SUBSCRIBERS).contains("sub=1"));
			execution.complete(new byte[] { 1 });
			assertThat(decision).succeedsWithin(Duration.ofSeconds(30)).isInstanceOf(Decision.Replay.class);
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void wakesUpAgainAfterTheSubscriptionWasKilled(RedisConnectionFactory driver) throws InterruptedException {
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store, key);
			Semaphore wakeUps = new Semaphore(0);
			try (Subscription subscription = subscribed(store, key, wakeUps::release)) {
				assertThat(subscription).isNotNull();
				server.send("CLIENT KILL TYPE pubsub");
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("woken up, having missed something").isTrue();
				wakeUps.drainPermits();
				assertThat(store.complete(claim, RESULT, TTL)).isTrue();
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("woken up by the completion").isTrue();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void listensAgainAfterAnError(RedisConnectionFactory driver) throws InterruptedException {
		AtomicInteger errors = new AtomicInteger();
		RedisConnectionFactory failing = (RedisConnectionFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, (proxy, method, arguments) -> {
					if (Thread.currentThread().getName().equals("idempotency-redis-subscriber")
							&& errors.incrementAndGet() == 1) {
						throw new NoClassDefFoundError("as planned");
					}
					return method.invoke(driver, arguments);
				});
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(failing, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store, key);
			Semaphore wakeUps = new Semaphore(0);
			try (Subscription subscription = subscribed(store, key, wakeUps::release)) {
				assertThat(subscription).isNotNull();
				assertThat(store.complete(claim, RESULT, TTL)).isTrue();
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("woken up").isTrue();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void wakesUpWhenAKeyIsForgotten(RedisConnectionFactory driver) throws InterruptedException {
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			granted(store, key);
			Semaphore wakeUps = new Semaphore(0);
			try (Subscription subscription = subscribed(store, key, wakeUps::release)) {
				assertThat(subscription).isNotNull();
				store.forget(key);
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void publishesOnlyWhatSomebodyWaitsFor(RedisConnectionFactory driver) {
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0)) {
			server.send("CONFIG RESETSTAT");
			store.complete(granted(store, newKey()), RESULT, LEASE);
			store.complete(granted(store, newKey()), RESULT, TTL.multipliedBy(2));
			store.release(granted(store, newKey()));
			store.forget(granted(store, newKey()));
			store.forget(granted(store, newKey()).key());
			store.forget(newKey());
			assertThat(published()).isZero();
			for (Consumer<Claim> end : ends(store)) {
				Claim claim = granted(store, newKey());
				store.subscribe(claim.key(), () -> {
				}).close();
				long before = published();
				end.accept(claim);
				assertThat(published()).isEqualTo(before + 1);
			}
		}
	}

	private static List<Consumer<Claim>> ends(RedisIdempotencyStore store) {
		return List.of((claim) -> store.complete(claim, RESULT, LEASE),
				(claim) -> store.complete(claim, RESULT, TTL.multipliedBy(2)), store::release, store::forget,
				(claim) -> store.forget(claim.key()));
	}

	private static long published() {
		return server.send("INFO commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_publish:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
			.sum();
	}

	@Test
	void aTakeoverKeepsTheMark() throws InterruptedException {
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(lettuce, PREFIX, 0);
				RedisIdempotencyStore there = new RedisIdempotencyStore(lettuce, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			store.claim(key, FINGERPRINT, new ClaimTerms(Duration.ofMillis(1), TTL, OnCrash.RETRY, OnReplay.READ));
			Semaphore wakeUps = new Semaphore(0);
			try (Subscription subscription = subscribed(there, key, wakeUps::release)) {
				assertThat(subscription).isNotNull();
				Claim second = ((ClaimResult.Granted) await().until(() -> RedisScene.claim(store, key),
						ClaimResult.Granted.class::isInstance))
					.claim();
				assertThat(second.attempt()).isEqualTo(2);
				store.release(second);
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("given back").isTrue();
				store.complete(granted(store, key), RESULT, LEASE);
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("completed").isTrue();
			}
		}
	}

	/**
	 * With the first attempt its mark is gone. Whoever waits claims again, and is refused
	 * by another one.
	 */
	@ParameterizedTest
	@MethodSource("drivers")
	void whoeverIsRefusedWhileItWaitsMarksTheNextAttempt(RedisConnectionFactory driver) throws InterruptedException {
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
				RedisIdempotencyStore there = new RedisIdempotencyStore(driver, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			Claim first = granted(store, key);
			Semaphore wakeUps = new Semaphore(0);
			try (Subscription subscription = subscribed(there, key, wakeUps::release)) {
				assertThat(subscription).isNotNull();
				store.release(first);
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("given back").isTrue();
				Claim next = granted(store, key);
				assertThat(RedisScene.claim(there, key)).isInstanceOf(ClaimResult.Refused.class);
				store.complete(next, RESULT, LEASE);
				assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).as("completed").isTrue();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void subscribesWithTheFirstWaiterAndLeavesNothingBehind(RedisConnectionFactory driver) {
		NewThreads subscribers = newSubscribers();
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
		granted(store, newKey());
		assertThat(server.send(SUBSCRIBERS)).doesNotContain("sub=1");
		store.subscribe(newKey(), () -> {
		}).close();
		store.subscribe(newKey(), () -> {
		}).close();
		assertThat(server.send(SUBSCRIBERS)).containsOnlyOnce("sub=1");
		assertThat(subscribers.alive()).hasSize(1);
		store.close();
		await().until(() -> !server.send(SUBSCRIBERS).contains("sub=1"));
		assertThat(subscribers.alive()).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> store.subscribe(newKey(), () -> {
		}));
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void leavesNothingBehindWhenItIsClosedWhileItSubscribes(RedisConnectionFactory driver) {
		NewThreads subscribers = newSubscribers();
		for (int round = 0; round < 50; round++) {
			RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
			CompletableFuture<Void> subscribing = CompletableFuture.runAsync(() -> store.subscribe(newKey(), () -> {
			}));
			store.close();
			subscribing.exceptionally((ex) -> null).join();
		}
		await().until(() -> !server.send(SUBSCRIBERS).contains("sub=1"));
		await().until(() -> subscribers.alive().isEmpty());
	}

	private static NewThreads newSubscribers() {
		return new NewThreads("idempotency-redis-subscriber");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void closesSoonWhenTheServerIsGone(boolean withLettuce) throws Exception {
		RedisServerProcess dead = RedisServerProcess.start();
		RedisConnectionFactory factory = withLettuce ? RedisServers.lettuce(RedisServers.standalone(dead))
				: RedisServers.jedis(RedisServers.standalone(dead));
		RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
		store.subscribe(newKey(), () -> {
		}).close();
		dead.kill();
		assertTimeoutPreemptively(RedisServers.LONG_TIMEOUT.dividedBy(2), store::close);
		((DisposableBean) factory).destroy();
		dead.close();
	}

	@Test
	void whoeverCannotSubscribeIsToldSoAndKeepsAsking() {
		RedisServerProcess dead = RedisServerProcess.start();
		LettuceConnectionFactory factory = RedisServers.lettuce(RedisServers.standalone(dead),
				RedisServers.COMMAND_TIMEOUT);
		dead.kill();
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0)) {
			assertThatIllegalStateException().isThrownBy(() -> store.subscribe(newKey(), () -> {
			}));
			dead.restart();
			await().atMost(Duration.ofSeconds(30))
				.ignoreExceptions()
				.untilAsserted(() -> store.subscribe(newKey(), () -> {
				}).close());
		}
		finally {
			factory.destroy();
			dead.close();
		}
	}

	/**
	 * A server that is busy may take longer than a waiter waits for it.
	 */
	private static Subscription subscribed(NotifyingStore store, IdempotencyKey key, Runnable wakeUp) {
		return await().ignoreException(IllegalStateException.class)
			.until(() -> store.subscribe(key, wakeUp), Objects::nonNull);
	}

}
