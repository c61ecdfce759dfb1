package dev.idempotency.web;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;

/**
 * Two applications that share a Redis.
 */
@Tag("once")
class RedisTwoStacksTests extends TwoStacksContract {

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	String[] store() {
		return new String[] { TestServer.WITH_SHARED_REDIS, "spring.data.redis.port=" + this.redis.port(),
				"idempotency.store=redis" };
	}

}
