package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

@Tag("slow")
class RedisJedisTests extends RedisContract<JedisConnectionFactory> {

	RedisJedisTests() {
		super(() -> RedisServers.jedis(RedisServers.standalone(RedisServers.shared())));
	}

}
