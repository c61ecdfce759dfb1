package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import org.junit.jupiter.api.AutoClose;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.awaitility.Awaitility.await;

class RedisInterruptTests extends InterruptContract {

	// It is paused
	@AutoClose
	private final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private final LettuceConnectionFactory factory = new LettuceConnectionFactory(
			new RedisStandaloneConfiguration("127.0.0.1", this.server.port()));

	@Override
	IdempotencyStore store() {
		this.factory.afterPropertiesSet();
		this.factory.start();
		return new RedisIdempotencyStore(this.factory, "idempotency:", 0);
	}

	/**
	 * The server must be told the scripts again, when it has said that it does not know
	 * them.
	 */
	@Override
	void coolDown() {
		this.server.send("SCRIPT FLUSH");
	}

	@Override
	AutoCloseable hold() {
		this.server.send("CLIENT PAUSE 20000 WRITE");
		return () -> this.server.send("CLIENT UNPAUSE");
	}

	@Override
	void awaitWaiting(Thread thread) {
		await().pollInterval(Duration.ofMillis(5))
			.until(() -> this.server.send("INFO clients").contains("blocked_clients:1"));
	}

}
