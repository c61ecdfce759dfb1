package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.begin;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.isCompleted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static dev.idempotency.store.redis.RedisScene.proceed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Servers that vanish and come back.
 */
@Tag("slow")
@Timeout(180)
class RedisFailureTests {

	private static final Duration RECOVERY = Duration.ofSeconds(60);

	/**
	 * The timeout of a command, and plenty of time for a machine that is busy.
	 */
	private static final Duration LONGEST_CALL = RedisServers.COMMAND_TIMEOUT.plusSeconds(15);

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aServerThatWasKilledIsRejectedOrDoneWithoutUntilItIsBack(boolean withLettuce) throws Exception {
		RedisServerProcess server = RedisServerProcess.start();
		RedisConnectionFactory factory = withLettuce
				? RedisServers.lettuce(RedisServers.standalone(server), RedisServers.COMMAND_TIMEOUT)
				: RedisServers.jedis(RedisServers.standalone(server));
		List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();
		try (server;
				RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
				IdempotencyEngine rejecting = RedisScene.engine(store, OnStoreFailure.REJECT);
				IdempotencyEngine proceeding = RedisScene.engine(store, OnStoreFailure.PROCEED, events::add)) {
			proceed(rejecting, newKey()).complete(new byte[0]);
			server.kill();
			assertTimeoutPreemptively(LONGEST_CALL, () -> assertThatExceptionOfType(IdempotencyStoreException.class)
				.isThrownBy(() -> begin(rejecting, newKey())));
			IdempotencyKey unprotected = newKey();
			assertTimeoutPreemptively(LONGEST_CALL, () -> proceed(proceeding, unprotected).complete(new byte[0]));
			assertThat(events).hasAtLeastOneElementOfType(IdempotencyEvent.RanUnprotected.class);
			server.restart();
			await().atMost(RECOVERY).ignoreExceptions().until(() -> {
				IdempotencyKey key = newKey();
				proceed(rejecting, key).complete(new byte[0]);
				return begin(rejecting, key) instanceof Decision.Replay;
			});
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	@Test
	void anExecutionWhoseServerIsAwayForAWhileCanStillBeCompleted() {
		RedisServerProcess server = RedisServerProcess.start("--appendonly", "yes", "--appendfsync", "always");
		LettuceConnectionFactory factory = RedisServers.lettuce(RedisServers.standalone(server),
				RedisServers.COMMAND_TIMEOUT);
		try (server; RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0)) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store, key);
			server.kill();
			server.restart();
			await().atMost(RECOVERY)
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(store.complete(claim, RESULT, TTL)).isTrue());
			assertThat(claim(store, key)).isInstanceOf(ClaimResult.Refused.class);
		}
		finally {
			factory.destroy();
		}
	}

	@Test
	void theReplicaThatSentinelPromotesGoesOn() {
		RedisServers.Sentinel sentinel = RedisServers.Sentinel.start();
		LettuceConnectionFactory factory = RedisServers.lettuce(sentinel.configuration(), RedisServers.COMMAND_TIMEOUT);
		try (sentinel;
				RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
				IdempotencyEngine engine = RedisScene.engine(store, OnStoreFailure.REJECT)) {
			IdempotencyKey key = newKey();
			proceed(engine, key).complete(new byte[0]);
			await().until(() -> isCompleted(sentinel.replicas().get(0), key.within("shop")));
			sentinel.master().kill();
			assertTimeoutPreemptively(LONGEST_CALL, () -> assertThatExceptionOfType(IdempotencyStoreException.class)
				.isThrownBy(() -> begin(engine, newKey())));
			await().atMost(RECOVERY).ignoreExceptions().until(() -> begin(engine, key) instanceof Decision.Replay);
			await().atMost(RECOVERY).ignoreExceptions().untilAsserted(() -> proceed(engine, newKey()).close());
		}
		finally {
			factory.destroy();
		}
	}

	@Test
	void aNodeThatTheClusterLostFailsItsOwnKeysOnly() {
		RedisCluster cluster = RedisCluster.start(0);
		LettuceConnectionFactory factory = RedisServers.lettuce(new RedisClusterConfiguration(cluster.addresses()),
				RedisServers.COMMAND_TIMEOUT);
		List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();
		try (cluster;
				RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
				IdempotencyEngine rejecting = RedisScene.engine(store, OnStoreFailure.REJECT);
				IdempotencyEngine proceeding = RedisScene.engine(store, OnStoreFailure.PROCEED, events::add)) {
			RedisServerProcess lost = cluster.masters().get(0);
			IdempotencyKey onLost = RedisScene.keyOn(cluster.masters().get(0), (key) -> key.within("shop"));
			IdempotencyKey elsewhere = RedisScene.keyOn(cluster.masters().get(1), (key) -> key.within("shop"));
			lost.kill();
			assertTimeoutPreemptively(LONGEST_CALL, () -> assertThatExceptionOfType(IdempotencyStoreException.class)
				.isThrownBy(() -> begin(rejecting, onLost)));
			assertTimeoutPreemptively(LONGEST_CALL, () -> proceed(proceeding, onLost).complete(new byte[0]));
			assertThat(events).hasAtLeastOneElementOfType(IdempotencyEvent.RanUnprotected.class);
			await().atMost(RECOVERY).ignoreExceptions().untilAsserted(() -> proceed(rejecting, elsewhere).close());
			lost.restart();
			await().atMost(RECOVERY).ignoreExceptions().untilAsserted(() -> proceed(rejecting, onLost).close());
		}
		finally {
			factory.destroy();
		}
	}

}
