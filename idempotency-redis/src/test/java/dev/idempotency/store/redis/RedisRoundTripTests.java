package dev.idempotency.store.redis;

import java.io.IOException;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.servers.RedisMonitor;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.begin;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static dev.idempotency.store.redis.RedisScene.proceed;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A first request costs two round trips and a replay one, by the server's own count.
 */
class RedisRoundTripTests {

	// Nobody else sends anything to it
	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private static final LettuceConnectionFactory lettuce = RedisServers.lettuce(RedisServers.standalone(server));

	@AutoClose("destroy")
	private static final JedisConnectionFactory jedis = RedisServers.jedis(RedisServers.standalone(server));

	static Stream<RedisConnectionFactory> drivers() {
		return Stream.of(lettuce, jedis);
	}

	@BeforeAll
	static void loadScripts() {
		drivers().map((driver) -> new RedisIdempotencyStore(driver, PREFIX, 0)).forEach((store) -> {
			IdempotencyKey key = newKey();
			Claim claim = granted(store, key);
			claim(store, key);
			store.renew(claim, LEASE);
			store.complete(claim, RESULT, TTL);
			store.release(claim);
			store.find(key);
			store.find(RecordId.of(key));
			store.forget(key);
		});
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void aFirstRequestCostsTwoAndAReplayOne(RedisConnectionFactory driver) throws IOException {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
		IdempotencyKey key = newKey();
		try (IdempotencyEngine engine = RedisScene.engine(store, OnStoreFailure.REJECT);
				RedisMonitor monitor = new RedisMonitor(server)) {
			proceed(engine, key).complete(new byte[] { 1 });
			assertThat(monitor.commands()).containsExactly("set", "evalsha");
			assertThat(begin(engine, key)).isInstanceOf(Decision.Replay.class);
			assertThat(monitor.commands()).containsExactly("set");
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void onlyAReplayThatExtendsWrites(RedisConnectionFactory driver) {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
		IdempotencyKey key = newKey();
		store.complete(granted(store, key), RESULT, LEASE);
		String before = writes();
		assertThat(claim(store, key)).isInstanceOf(ClaimResult.Refused.class);
		assertThat(writes()).isEqualTo(before);
		store.claim(key, FINGERPRINT, new ClaimTerms(LEASE, TTL.multipliedBy(2), OnCrash.RETRY, OnReplay.EXTEND));
		String extended = writes();
		assertThat(extended).isNotEqualTo(before);
		store.claim(key, FINGERPRINT, new ClaimTerms(LEASE, LEASE, OnCrash.RETRY, OnReplay.EXTEND));
		assertThat(writes()).isEqualTo(extended);
	}

	private static String writes() {
		return server.send("INFO persistence")
			.lines()
			.filter((line) -> line.startsWith("rdb_changes_since_last_save"))
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void everyVerbCostsOne(RedisConnectionFactory driver) throws IOException {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
		IdempotencyKey key = newKey();
		Claim claim = granted(store, key);
		try (RedisMonitor monitor = new RedisMonitor(server)) {
			store.renew(claim, LEASE);
			assertThat(monitor.commands()).hasSize(1);
			store.find(key);
			assertThat(monitor.commands()).hasSize(1);
			store.find(RecordId.of(key));
			assertThat(monitor.commands()).hasSize(1);
			store.release(claim);
			assertThat(monitor.commands()).hasSize(1);
			store.forget(key);
			assertThat(monitor.commands()).hasSize(1);
			store.forget(RecordId.of(key));
			assertThat(monitor.commands()).hasSize(1);
		}
	}

	@ParameterizedTest
	@EnumSource(OnReplay.class)
	void aReplayCostsOneWhateverItDoes(OnReplay onReplay) throws IOException {
		RedisIdempotencyStore store = new RedisIdempotencyStore(lettuce, PREFIX, 0);
		ClaimTerms terms = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, onReplay);
		IdempotencyKey key = newKey();
		store.complete(granted(store, key), RESULT, LEASE);
		store.claim(key, FINGERPRINT, terms);
		try (RedisMonitor monitor = new RedisMonitor(server)) {
			assertThat(store.claim(key, FINGERPRINT, terms)).isInstanceOf(ClaimResult.Refused.class);
			assertThat(monitor.commands()).containsExactly((onReplay == OnReplay.READ) ? "set" : "evalsha");
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void aServerThatForgotTheScriptsIsToldThemAgain(RedisConnectionFactory driver) throws IOException {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 0);
		server.send("SCRIPT FLUSH");
		try (RedisMonitor monitor = new RedisMonitor(server)) {
			Claim claim = granted(store, newKey());
			assertThat(monitor.commands()).containsExactly("set");
			claim(store, claim.key());
			assertThat(monitor.commands()).containsExactly("set", "evalsha", "eval");
			assertThat(store.complete(claim, RESULT, LEASE)).isTrue();
			assertThat(monitor.commands()).containsExactly("evalsha", "eval");
			assertThat(store.complete(granted(store, newKey()), RESULT, LEASE)).isTrue();
			assertThat(monitor.commands()).containsExactly("set", "evalsha");
			assertThat(store.renew(claim, LEASE)).isFalse();
			assertThat(store.release(claim)).isFalse();
			assertThat(store.find(claim.key())).isPresent();
			assertThat(store.find(RecordId.of(claim.key()))).isPresent();
			assertThat(store.forget(claim.key())).isTrue();
		}
	}

}
