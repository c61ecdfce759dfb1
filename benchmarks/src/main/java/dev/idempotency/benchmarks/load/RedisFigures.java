package dev.idempotency.benchmarks.load;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Workload.Kind;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;

/**
 * Figures of a Redis.
 */
final class RedisFigures {

	private static final int RECORDS = 200;

	private RedisFigures() {
	}

	/**
	 * Adds how much memory a record takes, with all other entries that were created with
	 * it.
	 */
	static void addTo(Figures figures, Subject floor, Subject subject) {
		figures.add("bytes of a record in Redis, a response of 156 bytes", bytesOfARecord(subject),
				bytesOfARecord(floor), Bar.atMost(400, " B"));
	}

	private static double bytesOfARecord(Subject subject) {
		Servers.Redis server = subject.store(Servers.Redis.class);
		try (RedisClient client = RedisClient.create(RedisURI.create("localhost", server.port()));
				StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
			// The names of records are binary digests
			RedisCommands<byte[], byte[]> redis = connection.sync();
			redis.flushall();
			subject.run(Workload.of(Kind.FIRST).withNote(0), RECORDS);
			return redis.keys("*").stream().mapToLong(redis::memoryUsage).sum() / (double) RECORDS;
		}
	}

}
