package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Tag("slow")
@Tag("once")
class RedisClusterTests extends RedisContract<LettuceConnectionFactory> {

	RedisClusterTests() {
		super(() -> RedisServers.lettuce(RedisServers.sharedCluster().configuration()));
	}

}
