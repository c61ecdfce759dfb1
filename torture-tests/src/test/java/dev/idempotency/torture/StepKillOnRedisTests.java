package dev.idempotency.torture;

import dev.idempotency.servers.RedisServerProcess;

class StepKillOnRedisTests extends StepKillContract {

	@Override
	String store() {
		return String.valueOf(RedisServerProcess.start().port());
	}

}
