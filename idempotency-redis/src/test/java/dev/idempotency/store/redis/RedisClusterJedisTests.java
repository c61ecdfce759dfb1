package dev.idempotency.store.redis;

import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

@Tag("slow")
class RedisClusterJedisTests extends RedisContract<JedisConnectionFactory> {

	RedisClusterJedisTests() {
		super(() -> RedisServers.jedis(new RedisClusterConfiguration(RedisServers.sharedCluster().addresses())));
	}

}
