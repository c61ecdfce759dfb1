package dev.idempotency.store.redis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

class RedisClusterJedisTests extends RedisContract<JedisConnectionFactory> {

	RedisClusterJedisTests() {
		super(RedisServers.jedis(RedisServers.sharedCluster().configuration()));
	}

}
