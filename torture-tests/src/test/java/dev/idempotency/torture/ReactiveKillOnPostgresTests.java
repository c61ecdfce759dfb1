package dev.idempotency.torture;

class ReactiveKillOnPostgresTests extends KillOnPostgresTests {

	@Override
	Class<?> application() {
		return ReactiveTortureApplication.class;
	}

}
