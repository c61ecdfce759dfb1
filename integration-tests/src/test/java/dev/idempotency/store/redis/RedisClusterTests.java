package dev.idempotency.store.redis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisClusterTests extends RedisContract<LettuceConnectionFactory> {

	RedisClusterTests() {
		super(RedisServers.lettuce(RedisServers.sharedCluster().configuration()));
	}

}
