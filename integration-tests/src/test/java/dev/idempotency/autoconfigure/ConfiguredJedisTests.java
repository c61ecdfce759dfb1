package dev.idempotency.autoconfigure;

import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.test.NotifyingStoreContract;
import org.junit.jupiter.api.AutoClose;

class ConfiguredJedisTests extends ConfiguredStoreContract implements NotifyingStoreContract {

	@AutoClose
	private final RedisServerProcess server = RedisServerProcess.start();

	@Override
	String[] settings() {
		return new String[] { "--idempotency.store=redis", "--spring.data.redis.client-type=jedis",
				"--spring.data.redis.port=" + this.server.port(), "--spring.datasource.url=jdbc:h2:mem:unused" };
	}

}
