package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Servers in every arrangement, and connections to them. Those that {@code shared…} gives
 * serve all tests of this JVM, which must leave them alive.
 */
final class RedisServers {

	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * For tests that are about something else than time.
	 */
	static final Duration LONG_TIMEOUT = Duration.ofSeconds(30);

	private RedisServers() {
	}

	static RedisServerProcess shared() {
		return Shared.SERVER;
	}

	static RedisCluster sharedCluster() {
		return SharedCluster.CLUSTER;
	}

	static Sentinel sharedSentinel() {
		return SharedSentinel.SENTINEL;
	}

	static RedisStandaloneConfiguration standalone(RedisServerProcess server) {
		return new RedisStandaloneConfiguration("127.0.0.1", server.port());
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration configuration) {
		return lettuce(configuration, LONG_TIMEOUT);
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration configuration, Duration timeout) {
		ClientOptions.Builder options = (configuration instanceof RedisClusterConfiguration)
				? ClusterClientOptions.builder().topologyRefreshOptions(refreshOften()) : ClientOptions.builder();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.shutdownTimeout(Duration.ZERO)
			.clientOptions(options.socketOptions(SocketOptions.builder().connectTimeout(timeout).build()).build())
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static ClusterTopologyRefreshOptions refreshOften() {
		return ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(Duration.ofMillis(500)).build();
	}

	static JedisConnectionFactory jedis(RedisStandaloneConfiguration configuration) {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration, jedisClient());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static JedisConnectionFactory jedis(RedisClusterConfiguration configuration) {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration, jedisClient());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static JedisClientConfiguration jedisClient() {
		return JedisClientConfiguration.builder()
			.connectTimeout(COMMAND_TIMEOUT)
			.readTimeout(COMMAND_TIMEOUT)
			.usePooling()
			.build();
	}

	private static final class Shared {

		private static final RedisServerProcess SERVER = RedisServerProcess.start();

	}

	private static final class SharedCluster {

		private static final RedisCluster CLUSTER = RedisCluster.start(0);

	}

	private static final class SharedSentinel {

		private static final Sentinel SENTINEL = Sentinel.start();

	}

	/**
	 * A master, its replicas, and a sentinel that watches them.
	 */
	record Sentinel(RedisServerProcess master, List<RedisServerProcess> replicas,
			RedisServerProcess sentinel) implements AutoCloseable {

		static Sentinel start() {
			RedisServerProcess master = RedisServerProcess.start("--repl-diskless-sync-delay", "0");
			RedisServerProcess replica = replicaOf(master);
			RedisServerProcess sentinel = RedisServerProcess.sentinel(master.port());
			await(() -> sentinel.send("SENTINEL REPLICAS master").contains(String.valueOf(replica.port())));
			return new Sentinel(master, List.of(replica), sentinel);
		}

		RedisSentinelConfiguration configuration() {
			return new RedisSentinelConfiguration().master("master").sentinel("127.0.0.1", this.sentinel.port());
		}

		@Override
		public void close() {
			this.sentinel.close();
			this.replicas.forEach(RedisServerProcess::close);
			this.master.close();
		}

	}

	/**
	 * A replica that has caught up.
	 */
	static RedisServerProcess replicaOf(RedisServerProcess master) {
		RedisServerProcess replica = RedisServerProcess.start("--replicaof", "127.0.0.1 " + master.port());
		await(() -> replica.send("INFO replication").contains("master_link_status:up"));
		return replica;
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(30)).until(condition);
	}

}
