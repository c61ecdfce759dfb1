package dev.idempotency.store.redis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisSentinelTests extends RedisContract<LettuceConnectionFactory> {

	RedisSentinelTests() {
		super(RedisServers.lettuce(RedisServers.sharedSentinel().configuration()));
	}

}
