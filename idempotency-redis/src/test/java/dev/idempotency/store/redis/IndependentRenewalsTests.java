package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.fixtures.LongExecutions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases are renewed on the nodes of a cluster that are well, whatever happens to another
 * one.
 */
@Tag("slow")
class IndependentRenewalsTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final int KEYS_PER_NODE = 10;

	@ParameterizedTest
	@CsvSource({ "lettuce, killed", "lettuce, hung", "jedis, killed", "jedis, hung" })
	void aNodeThatIsGoneAffectsNoOther(String driver, String fate) throws Exception {
		try (RedisCluster cluster = RedisCluster.start(0)) {
			RedisServerProcess ill = cluster.masters().get(2);
			RedisConnectionFactory factory = factory(driver, cluster);
			RedisConnectionFactory otherFactory = factory(driver, cluster);
			try (RedisIdempotencyStore store = store(factory);
					RedisIdempotencyStore other = store(otherFactory);
					LongExecutions executions = new LongExecutions(store, other, LEASE)) {
				List<IdempotencyKey> well = Stream.of(0, 1).flatMap((node) -> keysOn(cluster, node)).toList();
				executions.begin(well);
				executions.begin(keysOn(cluster, 2).toList());
				if (fate.equals("killed")) {
					ill.kill();
				}
				else {
					ill.pause();
				}
				assertThat(executions.ranAgain(well, 3)).isEmpty();
				assertThat(executions.engine().lateLeases()).hasSize(1).containsValue(KEYS_PER_NODE);
			}
			finally {
				if (fate.equals("hung")) {
					ill.resume();
				}
				((DisposableBean) factory).destroy();
				((DisposableBean) otherFactory).destroy();
			}
		}
	}

	private static Stream<IdempotencyKey> keysOn(RedisCluster cluster, int node) {
		return Stream.generate(() -> RedisScene.keyOn(cluster.masters().get(node), (key) -> key.within("shop")))
			.limit(KEYS_PER_NODE);
	}

	private static RedisConnectionFactory factory(String driver, RedisCluster cluster) {
		return driver.equals("jedis") ? RedisServers.jedis(new RedisClusterConfiguration(cluster.addresses()))
				: RedisServers.lettuce(new RedisClusterConfiguration(cluster.addresses()), Duration.ofSeconds(30));
	}

	private static RedisIdempotencyStore store(RedisConnectionFactory factory) {
		RedisIdempotencyStore store = new RedisIdempotencyStore(factory, RedisScene.PREFIX, 0);
		store.checkServer(LEASE);
		return store;
	}

}
