package dev.idempotency.benchmarks.sizing;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

import dev.idempotency.benchmarks.Servers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;

/**
 * Reads the figures of one Redis.
 */
final class RedisProbe implements AutoCloseable {

	private final RedisClient client;

	private final StatefulRedisConnection<byte[], byte[]> connection;

	RedisProbe(Servers.Redis server) {
		this.client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		this.connection = this.client.connect(ByteArrayCodec.INSTANCE);
		this.connection.setTimeout(Duration.ofMinutes(1));
	}

	/**
	 * Names of records are binary digests.
	 */
	RedisCommands<byte[], byte[]> redis() {
		return this.connection.sync();
	}

	long usedMemory() {
		return Long.parseLong(info("memory", "used_memory"));
	}

	Sizing.Allocator allocator() {
		return info("memory", "mem_allocator").startsWith("jemalloc") ? Sizing.Allocator.JEMALLOC
				: Sizing.Allocator.PLAIN;
	}

	/**
	 * The CPU time of the server in seconds.
	 */
	double cpu() {
		return Double.parseDouble(info("cpu", "used_cpu_user")) + Double.parseDouble(info("cpu", "used_cpu_sys"));
	}

	String info(String section, String name) {
		Map<String, String> all = redis().info(section)
			.lines()
			.filter((line) -> line.contains(":"))
			.map((line) -> line.split(":", 2))
			.collect(Collectors.toMap((line) -> line[0], (line) -> line[1].strip()));
		return all.getOrDefault(name, "");
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
