package dev.idempotency.autoconfigure;

import java.util.List;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class ShutdownOnRedisTests extends ShutdownContract {

	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	List<String> store() {
		return List.of("--idempotency.store=redis", "--spring.data.redis.port=" + this.redis.port(),
				"--spring.data.redis.timeout=5s", "--spring.datasource.url=jdbc:h2:mem:unused");
	}

}
