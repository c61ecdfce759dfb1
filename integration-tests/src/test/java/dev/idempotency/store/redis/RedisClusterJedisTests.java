package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

@Tag("slow")
@Tag("once")
class RedisClusterJedisTests extends RedisContract<JedisConnectionFactory> {

	RedisClusterJedisTests() {
		super(() -> RedisServers.jedis(RedisServers.sharedCluster().configuration()));
	}

}
