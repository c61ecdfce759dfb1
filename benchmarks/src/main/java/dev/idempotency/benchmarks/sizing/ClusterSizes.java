package dev.idempotency.benchmarks.sizing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Measures how evenly records are spread in a Redis Cluster of primaries.
 */
final class ClusterSizes {

	private static final int SLOTS = 16384;

	private ClusterSizes() {
	}

	static void measure(int nodes, int records, int answer) throws InterruptedException {
		List<Servers.Redis> servers = new ArrayList<>();
		List<Path> files = new ArrayList<>();
		try {
			for (int i = 0; i < nodes; i++) {
				Path file = Path.of(System.getProperty("java.io.tmpdir"), "nodes-" + UUID.randomUUID() + ".conf");
				files.add(file);
				servers.add(Servers.startRedis("--cluster-enabled", "yes", "--cluster-config-file",
						String.valueOf(file.getFileName())));
			}
			connect(servers);
			fill(servers, records, answer);
		}
		finally {
			servers.forEach(Servers.Redis::close);
			files.forEach(ClusterSizes::delete);
		}
	}

	private static void connect(List<Servers.Redis> servers) throws InterruptedException {
		for (int i = 0; i < servers.size(); i++) {
			try (RedisProbe probe = new RedisProbe(servers.get(i))) {
				probe.redis()
					.clusterAddSlots(
							IntStream.range(i * SLOTS / servers.size(), (i + 1) * SLOTS / servers.size()).toArray());
				probe.redis().clusterMeet("127.0.0.1", servers.get(0).port());
			}
		}
		for (Servers.Redis server : servers) {
			try (RedisProbe probe = new RedisProbe(server)) {
				while (!isReady(probe.redis().clusterInfo(), servers.size())) {
					Thread.sleep(50);
				}
			}
		}
	}

	private static boolean isReady(String info, int nodes) {
		return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS)
				&& info.contains("cluster_known_nodes:" + nodes);
	}

	private static void fill(List<Servers.Redis> servers, int records, int answer) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		servers.forEach((server) -> configuration.clusterNode("127.0.0.1", server.port()));
		LettuceConnectionFactory connections = new LettuceConnectionFactory(configuration);
		connections.afterPropertiesSet();
		connections.start();
		List<RedisProbe> probes = servers.stream().map(RedisProbe::new).toList();
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(connections, RedisSizes.PREFIX, 0)) {
			StoreFilling filling = new StoreFilling(store, 32, Duration.ofDays(1), answer);
			filling.first(1_000);
			probes.forEach((probe) -> probe.redis().flushall());
			List<Long> before = probes.stream().map(RedisProbe::usedMemory).toList();
			filling.first(records);
			Report report = new Report("Redis Cluster of %d, %s".formatted(servers.size(), probes.get(0).allocator()),
					records, answer);
			int nodes = servers.size();
			long sum = 0;
			for (int i = 0; i < probes.size(); i++) {
				long memory = probes.get(i).usedMemory() - before.get(i);
				long keys = probes.get(i).redis().dbsize();
				sum += memory;
				report.say("node %d: %,d records, %.2f %% of all, %,d bytes".formatted(i + 1, keys,
						100.0 * keys / records, memory));
			}
			report.compare("memory", (double) sum,
					Sizing.clusterMemory(nodes, records, answer, probes.get(0).allocator()));
		}
		finally {
			probes.forEach(RedisProbe::close);
			connections.destroy();
		}
	}

	private static void delete(Path file) {
		try {
			Files.deleteIfExists(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
