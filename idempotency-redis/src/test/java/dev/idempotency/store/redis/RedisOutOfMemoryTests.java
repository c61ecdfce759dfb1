package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Servers that have reached {@code maxmemory} and evict nothing.
 */
class RedisOutOfMemoryTests {

	private static final OperationPolicy SHORT_LEASE = OperationPolicy.of(TTL, Duration.ofMillis(500));

	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose
	private static final RedisCluster cluster = RedisCluster.start(0);

	@AutoClose("destroy")
	private static final LettuceConnectionFactory lettuce = RedisServers.lettuce(RedisServers.standalone(server));

	@AutoClose("destroy")
	private static final JedisConnectionFactory jedis = RedisServers.jedis(RedisServers.standalone(server));

	@AutoClose("destroy")
	private static final LettuceConnectionFactory clustered = RedisServers
		.lettuce(new RedisClusterConfiguration(cluster.addresses()));

	@AutoClose
	private final RedisIdempotencyStore store = new RedisIdempotencyStore(lettuce, PREFIX, 0);

	static Stream<RedisConnectionFactory> drivers() {
		return Stream.of(lettuce, jedis, clustered);
	}

	private static void fill() {
		limit(1);
	}

	@AfterEach
	void makeRoom() {
		limit(0);
	}

	private static void limit(int bytes) {
		Stream.concat(Stream.of(server), cluster.masters().stream())
			.forEach((each) -> each.send("CONFIG SET maxmemory " + bytes));
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void whatHasRunDoesNotRunAgain(RedisConnectionFactory driver) {
		List<IdempotencyKey> keys = Stream.generate(RedisScene::newKey).limit(20).toList();
		try (RedisIdempotencyStore full = new RedisIdempotencyStore(driver, PREFIX, 0);
				IdempotencyEngine engine = RedisScene.engine(full, OnStoreFailure.REJECT)) {
			List<Execution> running = keys.stream()
				.map((key) -> ((Decision.Proceed) begin(engine, key)).execution())
				.toList();
			full.subscribe(keys.get(0).within("shop"), () -> {
			});
			fill();
			List<Completion> completions = running.stream().map((each) -> each.complete(new byte[1000])).toList();
			makeRoom();
			List<Decision> retries = keys.stream().map((key) -> settled(() -> begin(engine, key))).toList();
			assertThat(retries).filteredOn(Decision.Proceed.class::isInstance).as("run twice").isEmpty();
			assertThat(retries).allSatisfy(
					(retry) -> assertThat(((Decision.Refused) retry).reason()).isEqualTo(Reason.NOT_REPLAYABLE));
			assertThat(completions).extracting(Completion::kind).containsOnly(Completion.Kind.STORED_WITHOUT_RESULT);
		}
	}

	private static Decision begin(IdempotencyEngine engine, IdempotencyKey key) {
		return engine.begin(new Attempt(key, FINGERPRINT, SHORT_LEASE));
	}

	private static Decision settled(Supplier<Decision> attempt) {
		return await().until(attempt::get, (
				decision) -> !(decision instanceof Decision.Refused refused && refused.reason() == Reason.IN_PROGRESS));
	}

	@Test
	void refusesClaimsAndResultsButRenewsLeasesAndTakesKeysBack() {
		Claim claim = granted(this.store, newKey());
		fill();
		IdempotencyKey refused = newKey();
		assertThatException().isThrownBy(() -> claim(this.store, refused)).withStackTraceContaining("OOM");
		assertThat(this.store.find(refused)).isEmpty();
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> this.store.complete(claim, RESULT, TTL))
			.withMessageContaining("maxmemory");
		assertThat(this.store.renew(claim, LEASE)).isTrue();
		assertThat(this.store.release(claim)).isTrue();
	}

	@Test
	void keepsTheFactAsLongAsItWasAskedFor() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		fill();
		assertThat(this.store.complete(claim, StoredResult.tombstone(), TTL.multipliedBy(2))).isTrue();
		assertThat(this.store.complete(claim, StoredResult.tombstone(), TTL)).as("sent again").isTrue();
		Inspection found = this.store.find(key).orElseThrow();
		assertThat(found.result()).isEqualTo(StoredResult.tombstone());
		assertThat(Duration.between(found.status().created(), found.status().expires()))
			.isGreaterThanOrEqualTo(TTL.multipliedBy(2));
	}

	@Test
	void takesAKeyBackThatWasTakenOver() {
		IdempotencyKey key = newKey();
		this.store.claim(key, FINGERPRINT, new ClaimTerms(Duration.ofMillis(1), TTL, OnCrash.RETRY, OnReplay.READ));
		ClaimResult takenOver = await().until(() -> claim(this.store, key), ClaimResult.Granted.class::isInstance);
		Claim second = ((ClaimResult.Granted) takenOver).claim();
		fill();
		assertThat(this.store.release(second)).isTrue();
		assertThat(this.store.renew(second, LEASE)).isFalse();
		Inspection found = this.store.find(key).orElseThrow();
		assertThat(found.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(found.result()).isNull();
		assertThat(found.summary().leaseLeft()).isZero();
		assertThat(found.status().attempt()).isEqualTo(2);
	}

	@Test
	void givesOutResultsAndExtendsTheirLife() {
		IdempotencyKey key = newKey();
		this.store.complete(granted(this.store, key), RESULT, LEASE);
		fill();
		assertThat(claim(this.store, key)).isInstanceOf(ClaimResult.Refused.class);
		ClaimResult result = this.store.claim(key, FINGERPRINT,
				new ClaimTerms(LEASE, TTL.multipliedBy(2), OnCrash.RETRY, OnReplay.EXTEND));
		assertThat(result).isInstanceOf(ClaimResult.Refused.class);
		Inspection found = this.store.find(key).orElseThrow();
		assertThat(Duration.between(found.status().created(), found.status().expires()))
			.isGreaterThanOrEqualTo(TTL.multipliedBy(2));
	}

}
