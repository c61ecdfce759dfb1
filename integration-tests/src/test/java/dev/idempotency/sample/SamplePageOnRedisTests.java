package dev.idempotency.sample;

import java.util.List;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.AutoClose;

/**
 * The page with keys in Redis, and payments elsewhere.
 */
class SamplePageOnRedisTests extends SamplePageContract {

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	List<String> startServer() {
		return List.of("--spring.profiles.active=redis",
				"--spring.data.redis.url=redis://localhost:" + this.redis.port());
	}

}
