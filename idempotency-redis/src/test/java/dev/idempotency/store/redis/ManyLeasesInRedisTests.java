package dev.idempotency.store.redis;

import dev.idempotency.fixtures.ManyLeasesContract;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.servers.TcpProxy;
import dev.idempotency.store.IdempotencyStore;
import org.junit.jupiter.api.AutoClose;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class ManyLeasesInRedisTests extends ManyLeasesContract {

	@AutoClose
	private final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose
	private final TcpProxy proxy = tenMillisecondsFrom(this.server.port());

	@AutoClose("destroy")
	private final LettuceConnectionFactory factory = RedisServers
		.lettuce(new RedisStandaloneConfiguration("127.0.0.1", this.proxy.port()));

	@Override
	protected IdempotencyStore store() {
		return new RedisIdempotencyStore(this.factory, RedisScene.PREFIX, 0);
	}

}
