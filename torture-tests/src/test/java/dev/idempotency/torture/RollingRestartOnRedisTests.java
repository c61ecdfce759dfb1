package dev.idempotency.torture;

import java.util.List;

import dev.idempotency.servers.RedisServerProcess;

class RollingRestartOnRedisTests extends RollingRestartContract {

	@Override
	List<String> store() {
		return Torture.onRedis(RedisServerProcess.start());
	}

}
