package dev.idempotency.store.redis;

import org.junit.jupiter.api.Nested;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.DockerImageName;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Servers that only a container has.
 */
class RedisContainerTests {

	private static LettuceConnectionFactory connect(GenericContainer<?> container) {
		// The port is needed before the extension would start it
		container.start();
		return RedisServers
			.lettuce(new RedisStandaloneConfiguration(container.getHost(), container.getMappedPort(6379)));
	}

	@Nested
	@Testcontainers(disabledWithoutDocker = true)
	class Redis8 extends RedisContract<LettuceConnectionFactory> {

		@Container
		private static final GenericContainer<?> SERVER = new GenericContainer<>(DockerImageName.parse("redis:8"))
			.withExposedPorts(6379);

		Redis8() {
			super(() -> connect(SERVER));
		}

	}

	@Nested
	@Testcontainers(disabledWithoutDocker = true)
	class Valkey8 extends RedisContract<LettuceConnectionFactory> {

		@Container
		private static final GenericContainer<?> SERVER = new GenericContainer<>(
				DockerImageName.parse("valkey/valkey:8"))
			.withExposedPorts(6379);

		Valkey8() {
			super(() -> connect(SERVER));
		}

	}

}
