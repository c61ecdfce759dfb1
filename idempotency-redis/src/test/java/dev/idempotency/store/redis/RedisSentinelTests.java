package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Tag("slow")
class RedisSentinelTests extends RedisContract<LettuceConnectionFactory> {

	RedisSentinelTests() {
		super(() -> RedisServers.lettuce(RedisServers.sharedSentinel().configuration()));
	}

}
