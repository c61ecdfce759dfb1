package dev.idempotency.model;

import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AutoClose;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisCounterexampleTests implements CounterexampleContract {

	@AutoClose
	private final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private final LettuceConnectionFactory connections = connections();

	@AutoClose("destroy")
	private final LettuceConnectionFactory otherConnections = connections();

	@AutoClose
	private final RedisIdempotencyStore store = new RedisIdempotencyStore(this.connections, "idempotency:", 0);

	@AutoClose
	private final RedisIdempotencyStore otherInstance = new RedisIdempotencyStore(this.otherConnections, "idempotency:",
			0);

	private LettuceConnectionFactory connections() {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", this.server.port()));
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	@Override
	public IdempotencyStore otherInstance() {
		return this.otherInstance;
	}

	@Override
	public StoreTime time() {
		return StoreTime.real();
	}

}
