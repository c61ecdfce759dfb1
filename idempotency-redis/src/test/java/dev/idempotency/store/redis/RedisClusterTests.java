package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Tag("slow")
class RedisClusterTests extends RedisContract<LettuceConnectionFactory> {

	RedisClusterTests() {
		super(() -> RedisServers.lettuce(new RedisClusterConfiguration(RedisServers.sharedCluster().addresses())));
	}

}
