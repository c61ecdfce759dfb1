package dev.idempotency.torture;

class ReactiveKillOnRedisTests extends KillOnRedisTests {

	@Override
	Class<?> application() {
		return ReactiveTortureApplication.class;
	}

}
