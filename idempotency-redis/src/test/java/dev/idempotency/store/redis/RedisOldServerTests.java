package dev.idempotency.store.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.NotifyingStore.Subscription;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole contract on a server that knows as little as Redis 6.2: neither when
 * something expires nor {@code SET} with {@code NX} and {@code GET}. The latter is said
 * on the way to it, in its words.
 */
class RedisOldServerTests extends RedisContract<RedisOldServerTests.OldConnections> {

	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start("--rename-command", "PEXPIRETIME", "");

	RedisOldServerTests() {
		super(OldConnections::new);
	}

	@Test
	void isAskedOnceWhatItDoesNotKnow() {
		OldConnections old = new OldConnections();
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(old, PREFIX, 0)) {
			granted(store, newKey());
			granted(store, newKey());
			assertThat(old.asked).hasValue(1);
		}
		finally {
			old.destroy();
		}
	}

	@Test
	void isAskedAtStartUpAlready() {
		OldConnections old = new OldConnections();
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(old, PREFIX, 0)) {
			store.checkServer(LEASE);
			granted(store, newKey());
			assertThat(old.asked).hasValue(1);
		}
		finally {
			old.destroy();
		}
	}

	@Test
	void sharesItsRecordsWithAnInstanceThatKnowsMore() throws InterruptedException {
		OldConnections old = new OldConnections();
		try (RedisIdempotencyStore here = new RedisIdempotencyStore(old, PREFIX, 0);
				RedisIdempotencyStore there = new RedisIdempotencyStore(old.connections, PREFIX, 0)) {
			for (RedisIdempotencyStore one : new RedisIdempotencyStore[] { here, there }) {
				RedisIdempotencyStore other = (one == here) ? there : here;
				IdempotencyKey key = newKey();
				Claim claim = granted(one, key);
				assertThat(claim(other, key)).isInstanceOf(ClaimResult.Refused.class);
				Semaphore wakeUps = new Semaphore(0);
				try (Subscription subscription = other.subscribe(key, wakeUps::release)) {
					assertThat(subscription).isNotNull();
					assertThat(one.complete(claim, RESULT, LEASE)).isTrue();
					assertThat(wakeUps.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
				}
				assertThat(other.find(key).orElseThrow().result()).isEqualTo(RESULT);
			}
		}
		finally {
			old.destroy();
		}
	}

	/**
	 * Connections to a server that is older than it is.
	 */
	static final class OldConnections implements RedisConnectionFactory, DisposableBean {

		private final LettuceConnectionFactory connections = RedisServers.lettuce(RedisServers.standalone(server),
				Duration.ofSeconds(30));

		private final AtomicInteger asked = new AtomicInteger();

		@Override
		public RedisConnection getConnection() {
			RedisConnection connection = this.connections.getConnection();
			RedisStringCommands strings = around(RedisStringCommands.class, connection.stringCommands(), "setGet",
					() -> {
						this.asked.incrementAndGet();
						throw new RedisSystemException("Error in execution",
								new RedisCommandExecutionException("ERR syntax error"));
					});
			return around(RedisConnection.class, connection, "stringCommands", () -> strings);
		}

		private static <T> T around(Class<T> type, T target, String name, Answer answer) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method,
					arguments) -> method.getName().equals(name) ? answer.give() : invoke(target, method, arguments)));
		}

		private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
				throws Throwable {
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

		@Override
		public RedisClusterConnection getClusterConnection() {
			return this.connections.getClusterConnection();
		}

		@Override
		public boolean getConvertPipelineAndTxResults() {
			return this.connections.getConvertPipelineAndTxResults();
		}

		@Override
		public RedisSentinelConnection getSentinelConnection() {
			return this.connections.getSentinelConnection();
		}

		@Override
		public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
			return this.connections.translateExceptionIfPossible(ex);
		}

		@Override
		public void destroy() {
			this.connections.destroy();
		}

		/**
		 * What is said in the server's place.
		 */
		private interface Answer {

			Object give();

		}

	}

}
