package dev.idempotency.web;

import java.util.List;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;

/**
 * Traces of calls that are remembered in Redis.
 */
@Tag("once")
class RedisTraceTests extends TraceContract {

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	TestServer start(Class<?> application, String... properties) {
		return TestServer.start(List.of(application), TestServer.with(properties, Bystanders.ALL, TestServer.WITH_REDIS,
				"spring.data.redis.port=" + this.redis.port(), "idempotency.store=redis"));
	}

}
