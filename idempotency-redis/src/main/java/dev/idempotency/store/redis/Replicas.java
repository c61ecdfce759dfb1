package dev.idempotency.store.redis;

import java.time.Duration;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyStoreException;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * Claims that count only once enough replicas have them. The script and {@code WAIT} use
 * one connection, because {@code WAIT} covers the writes of its own connection only.
 */
final class Replicas {

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final RedisConnectionFactory connectionFactory;

	private final int wanted;

	Replicas(RedisConnectionFactory connectionFactory, int wanted) {
		this.connectionFactory = connectionFactory;
		this.wanted = wanted;
	}

	Answer claim(Duration lease, byte[]... arguments) {
		long patience = Math.max(1, Math.min(LONGEST_WAIT.toMillis(), lease.toMillis() / 2));
		RedisConnection connection = this.connectionFactory.getConnection();
		try {
			if (connection instanceof LettuceClusterConnection cluster) {
				return LettuceReplicas.claim(cluster, this.wanted, patience, arguments);
			}
			requireNoCluster(connection);
			RecordReply reply = new RecordReply(
					ScriptValues.bytes(ScriptRunner.read(connection, Script.CLAIM, arguments)));
			return new Answer(reply, reply.isGranted() ? await(connection, this.wanted, patience) : 0);
		}
		finally {
			connection.close();
		}
	}

	private static long await(RedisConnection connection, int wanted, long millis) {
		if (connection instanceof LettuceConnection lettuce) {
			return LettuceReplicas.await(lettuce, wanted, millis);
		}
		Object acknowledged = connection.execute("WAIT", number(wanted), number(millis));
		return ScriptValues.number(acknowledged);
	}

	static byte[] number(long number) {
		return Names.utf8(String.valueOf(number));
	}

	void requireEnough(long acknowledged) {
		if (acknowledged < this.wanted) {
			throw new IdempotencyStoreException(
					"A claim reached %d of %d required replicas in time".formatted(acknowledged, this.wanted), null);
		}
	}

	/**
	 * Makes sure that the client can wait for replicas.
	 * @throws IdempotencyConfigurationException if it cannot
	 */
	void check(RedisConnection connection) {
		requireNoCluster(connection);
		if (!(connection instanceof RedisClusterConnection)) {
			await(connection, 0, 1);
		}
	}

	private static void requireNoCluster(RedisConnection connection) {
		if (connection instanceof RedisClusterConnection && !(connection instanceof LettuceClusterConnection)) {
			throw new IdempotencyConfigurationException(
					"idempotency.redis.wait-for-replicas is set, but in a cluster only Lettuce can wait for replicas",
					"Use Lettuce (set spring.data.redis.client-type to lettuce), or set "
							+ "idempotency.redis.wait-for-replicas to 0.");
		}
	}

	/**
	 * The outcome of a claim.
	 *
	 * @param reply the reply of the script
	 * @param acknowledged how many replicas have the claim, if it was granted
	 */
	record Answer(RecordReply reply, long acknowledged) {
	}

}
