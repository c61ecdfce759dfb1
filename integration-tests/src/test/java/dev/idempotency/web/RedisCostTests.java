package dev.idempotency.web;

import java.time.Duration;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.servers.RedisMonitor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests cost a Redis.
 */
class RedisCostTests extends StoreCostContract {

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	TestServer startServer() {
		return TestServer.start(List.of(WebTestApplication.class, Turnstile.class, Payments.class),
				TestServer.WITH_REDIS + WITHOUT_TRACES, "spring.data.redis.port=" + this.redis.port(),
				"idempotency.store=redis");
	}

	/**
	 * That a server does not know a script yet is an error that it counts.
	 */
	@BeforeAll
	void readScripts() {
		warmUp();
		IdempotencyStore store = server().bean(IdempotencyStore.class);
		IdempotencyKey key = IdempotencyKey.of("test", "key");
		Duration lease = Duration.ofMinutes(1);
		ClaimTerms terms = new ClaimTerms(lease, lease, OnCrash.RETRY, OnReplay.READ);
		store.claim(key, Fingerprint.none(), terms);
		store.claim(key, Fingerprint.none(), terms);
		this.redis.send("CONFIG RESETSTAT");
	}

	/**
	 * Only a script knows how long it has been so.
	 */
	@Override
	int roundTripsOfAKeyInProgress() {
		return 2;
	}

	@Test
	void aReplayRunsNoScriptAndAFirstRequestOneThatPublishesNothing() throws Exception {
		String key = TestServer.newKey();
		assertThat(roundTripsOf(() -> pay(key, 1))).containsExactly("set", "evalsha");
		assertThat(roundTripsOf(() -> pay(key, 1))).containsExactly("set");
		assertThat(this.redis.send("INFO commandstats")).contains("cmdstat_evalsha").doesNotContain("cmdstat_publish");
	}

	@Override
	List<String> roundTripsOf(Runnable work) throws Exception {
		try (RedisMonitor monitor = new RedisMonitor(this.redis)) {
			work.run();
			return monitor.commands();
		}
	}

	@Override
	List<String> errors() {
		return this.redis.send("INFO errorstats").lines().filter((line) -> line.startsWith("errorstat_")).toList();
	}

	/**
	 * All that the server holds for it: its name, the record, and what binds them, each
	 * rounded up as the server's allocator does. This one rounds to nothing; with
	 * jemalloc, up to 314 bytes of record are 408 in all. The goal of 400 would take a
	 * record of 252 bytes there, which is less than the answer, its fingerprint and its
	 * key.
	 */
	@Test
	void aSmallAnswerTakesLittleMoreMemoryThanItself() {
		this.redis.send("FLUSHDB");
		pay(TestServer.newKey(), 1);
		assertThat(number("'STRLEN', name")).as("what is stored beside the 197 bytes of the answer")
			.isLessThanOrEqualTo(197 + 92);
		assertThat(number("'MEMORY', 'USAGE', name, 'SAMPLES', 0")).isLessThanOrEqualTo(400);
	}

	/**
	 * What the server says about the only record; most of its name is no text.
	 */
	private int number(String command) {
		return Integer.parseInt(this.redis
			.send("EVAL \"local name = redis.call('KEYS', 'idempotency:*')[1] return redis.call(%s)\" 0"
				.formatted(command))
			.substring(1)
			.strip());
	}

}
