package dev.idempotency.benchmarks.sizing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Measures a Redis that is filled with completed records.
 */
final class RedisSizes implements AutoCloseable {

	static final String PREFIX = "idempotency:";

	private static final Duration TTL = Duration.ofDays(1);

	private static final int THREADS = 32;

	private static final int COPIES = 20_000;

	/**
	 * Writes what the store writes, first the claim and then the result, under names that
	 * are as long as those of the store.
	 */
	private static final String COPY = "for i = tonumber(ARGV[3]), tonumber(ARGV[4]) do "
			+ "local name = 'idempotency:' .. struct.pack('>I8I8I8I8', i, 1, 2, 3) "
			+ "redis.call('SET', name, ARGV[1], 'PX', 86400000) redis.call('SET', name, ARGV[2], 'KEEPTTL') end";

	private final RedisProbe probe;

	private final LettuceConnectionFactory connections;

	private final RedisIdempotencyStore store;

	private final StoreFilling filling;

	private final long before;

	RedisSizes(Servers.Redis server, int answer) {
		this.probe = new RedisProbe(server);
		this.connections = new LettuceConnectionFactory("127.0.0.1", server.port());
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.store = new RedisIdempotencyStore(this.connections, PREFIX, 0);
		this.filling = new StoreFilling(this.store, THREADS, TTL, answer);
		// Scripts, connections and their buffers exist before anything is counted
		this.filling.first(1_000);
		redis().flushall();
		this.before = this.probe.usedMemory();
	}

	private RedisCommands<byte[], byte[]> redis() {
		return this.probe.redis();
	}

	RedisProbe probe() {
		return this.probe;
	}

	StoreFilling filling() {
		return this.filling;
	}

	/**
	 * Adds records that the server creates itself, of the same length as those of the
	 * store.
	 */
	void copy(int records) {
		redis().flushall();
		ClaimResult.Granted granted = this.filling.claimOnly();
		byte[] name = redis().keys("*").get(0);
		byte[] claimed = redis().get(name);
		this.filling.complete(granted);
		byte[] completed = redis().get(name);
		for (int i = 1; i < records; i += COPIES) {
			redis().eval(COPY.getBytes(StandardCharsets.UTF_8), ScriptOutputType.STATUS, new byte[0][], claimed,
					completed, text(i), text(Math.min(i + COPIES, records) - 1));
		}
	}

	private static byte[] text(int number) {
		return String.valueOf(number).getBytes(StandardCharsets.UTF_8);
	}

	long records() {
		return redis().dbsize();
	}

	/**
	 * The memory of the records, as the server reports it.
	 */
	long memory() {
		return this.probe.usedMemory() - this.before;
	}

	static void measure(int records, int answer, int throughTheStore) {
		try (Servers.Redis server = Servers.startRedis(); RedisSizes sizes = new RedisSizes(server, answer)) {
			sizes.measure(new Report("Redis, " + sizes.probe.allocator(), records, answer), records, answer,
					throughTheStore);
		}
	}

	private void measure(Report report, int records, int answer, int throughTheStore) {
		report.say("server %s, %s".formatted(this.probe.info("server", "redis_version"),
				this.probe.info("memory", "mem_allocator")));
		double cpu = this.probe.cpu();
		long start = System.nanoTime();
		this.filling.first(throughTheStore);
		report.say("%,d through the store: %.0f s, %.1f µs of the server's CPU each".formatted(throughTheStore,
				(System.nanoTime() - start) / 1e9, (this.probe.cpu() - cpu) / throughTheStore * 1e6));
		if (throughTheStore < records) {
			copy(records);
		}
		report.compare("memory", (double) memory(), Sizing.redisMemory(records(), answer, this.probe.allocator()));
		report.say("records %,d; resident %s, fragmentation %s".formatted(records(),
				this.probe.info("memory", "used_memory_rss"), this.probe.info("memory", "mem_fragmentation_ratio")));
		report.say("a replay: %.1f µs of the server's CPU"
			.formatted(this.filling.replay(10_000, 10, this.probe::cpu) * 1e6));
	}

	@Override
	public void close() {
		this.store.close();
		this.connections.destroy();
		this.probe.close();
	}

}
