package dev.idempotency.store.redis;

import java.util.stream.Stream;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.ClaimResult;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.nameOf;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Claims that count once replicas have them.
 */
class RedisReplicasTests {

	@AutoClose
	private static final RedisServerProcess master = RedisServerProcess.start("--repl-diskless-sync-delay", "0");

	@AutoClose
	private static final RedisServerProcess replica = RedisServers.replicaOf(master);

	@AutoClose("destroy")
	private static final LettuceConnectionFactory lettuce = RedisServers.lettuce(RedisServers.standalone(master));

	@AutoClose("destroy")
	private static final JedisConnectionFactory jedis = RedisServers.jedis(RedisServers.standalone(master));

	static Stream<RedisConnectionFactory> drivers() {
		return Stream.of(lettuce, jedis);
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void grantsAClaimThatTheReplicaHas(RedisConnectionFactory driver) {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 1);
		store.checkServer(LEASE);
		IdempotencyKey key = newKey();
		granted(store, key);
		assertThat(replica.send("EXISTS " + nameOf(key))).startsWith(":1");
		assertThat(claim(store, key)).isInstanceOf(ClaimResult.Refused.class);
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void givesAClaimBackThatTooFewReplicasHave(RedisConnectionFactory driver) {
		RedisIdempotencyStore store = new RedisIdempotencyStore(driver, PREFIX, 2);
		IdempotencyKey key = newKey();
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> claim(store, key))
			.withMessageContaining("reached 1 of 2 required replicas in time");
		assertThat(store.find(key)).isEmpty();
	}

	@Test
	void waitsOnTheNodeThatHasTheRecord() {
		RedisCluster cluster = RedisCluster.start(1);
		LettuceConnectionFactory factory = RedisServers.lettuce(new RedisClusterConfiguration(cluster.addresses()));
		try (cluster; RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 1)) {
			store.checkServer(LEASE);
			IdempotencyKey replicated = RedisScene.keyOn(cluster.masters().get(0), (key) -> key);
			granted(store, replicated);
			assertThat(claim(store, replicated)).isInstanceOf(ClaimResult.Refused.class);
			IdempotencyKey alone = RedisScene.keyOn(cluster.masters().get(1), (key) -> key);
			assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> claim(store, alone))
				.withMessageContaining("reached 0 of 1 required replicas in time");
			assertThat(store.find(alone)).isEmpty();
		}
		finally {
			factory.destroy();
		}
	}

	@Test
	void failsAtStartUpWhereTheDriverCannotWait() {
		JedisConnectionFactory factory = RedisServers
			.jedis(new RedisClusterConfiguration(RedisServers.sharedCluster().addresses()));
		try {
			RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 1);
			assertThatExceptionOfType(IdempotencyConfigurationException.class)
				.isThrownBy(() -> store.checkServer(LEASE))
				.satisfies((ex) -> assertThat(ex.remedy()).asString().contains("Lettuce"));
		}
		finally {
			factory.destroy();
		}
	}

}
