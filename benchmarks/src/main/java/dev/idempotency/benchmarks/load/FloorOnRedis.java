package dev.idempotency.benchmarks.load;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SetCondition;
import org.springframework.data.redis.core.types.Expiration;

/**
 * The floor on Redis: one {@code SET … NX GET}, and one {@code SET}.
 */
@ConditionalOnProperty(name = "load.floor", havingValue = "redis")
final class FloorOnRedis extends Floor {

	private static final byte[] CLAIMED = { '1' };

	private final RedisConnectionFactory connections;

	FloorOnRedis(RedisConnectionFactory connections) {
		this.connections = connections;
	}

	@Override
	byte @Nullable [] claim(String key) {
		try (RedisConnection connection = this.connections.getConnection()) {
			return connection.stringCommands()
				.setGet(name(key), CLAIMED, SetCondition.ifAbsent(), Expiration.milliseconds(LEASE_MILLIS));
		}
	}

	@Override
	void complete(String key, byte[] answer) {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.stringCommands()
				.set(name(key), answer, SetCondition.upsert(), Expiration.milliseconds(TTL_MILLIS));
		}
	}

	private static byte[] name(String key) {
		return bytes("idempotency:" + key);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
