package dev.idempotency.store.redis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisLettuceTests extends RedisContract<LettuceConnectionFactory> {

	RedisLettuceTests() {
		super(() -> RedisServers.lettuce(RedisServers.standalone(RedisServers.shared())));
	}

}
