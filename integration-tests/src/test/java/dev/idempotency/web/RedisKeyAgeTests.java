package dev.idempotency.web;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;

/**
 * Keys that tell their age, on WebFlux with a Redis.
 */
@Tag("once")
class RedisKeyAgeTests extends KeyAgeContract {

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources,
				Stream.concat(Stream.of(TestServer.WITH_SHARED_REDIS, "spring.data.redis.port=" + this.redis.port(),
						"idempotency.store=redis"), Stream.of(properties))
					.toArray(String[]::new));
	}

}
