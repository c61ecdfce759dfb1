package dev.idempotency.store.redis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

class RedisJedisTests extends RedisContract<JedisConnectionFactory> {

	RedisJedisTests() {
		super(RedisServers.jedis(RedisServers.standalone(RedisServers.shared())));
	}

}
