package dev.idempotency.benchmarks.load;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import dev.idempotency.benchmarks.Servers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * Fills stores with many records, in applications that are warmed up. If the store can
 * copy a record, one is made by a request, and the others are copies of it.
 */
enum Filling {

	/**
	 * In memory, at its limit: each new result evicts an old one, so the size stays the
	 * same. Each size gets as many requests, or else an application with few records
	 * would be less warm.
	 */
	MEMORY {
		@Override
		Subject open(Bench bench, int records) {
			return bench.onMemory("--idempotency.memory.max-entries=" + records,
					"--idempotency.memory.max-size=1500MB");
		}

		@Override
		void fill(Subject subject, int records) {
			subject.fill(Math.max(records, MOST));
		}
	},

	REDIS {
		@Override
		Subject open(Bench bench, int records) {
			return bench.onRedis(bench.redis());
		}

		@Override
		void fill(Subject subject, int records) {
			Servers.Redis server = subject.store(Servers.Redis.class);
			try (RedisClient client = RedisClient.create(RedisURI.create("localhost", server.port()));
					StatefulRedisConnection<String, String> connection = client.connect()) {
				connection.setTimeout(Duration.ofMinutes(5));
				connection.sync().flushall();
				subject.fill(1);
				// Its name is binary
				connection.sync()
					.eval("local name = redis.call('RANDOMKEY') "
							+ "for i = 1, tonumber(ARGV[1]) do redis.call('COPY', name, name .. i) end",
							ScriptOutputType.STATUS, new String[0], String.valueOf(records));
			}
		}
	},

	POSTGRES {
		@Override
		Subject open(Bench bench, int records) {
			return bench.onPostgres(bench.postgres());
		}

		@Override
		void fill(Subject subject, int records) {
			Servers.Postgres server = subject.store(Servers.Postgres.class);
			try (Connection connection = DriverManager.getConnection(server.url());
					Statement statement = connection.createStatement()) {
				statement.execute("truncate idempotency_record");
				subject.fill(1);
				statement.execute("create temporary table made as select * from idempotency_record");
				statement.execute("insert into idempotency_record (id, created_at, expires_at, owner, ends_at, state, "
						+ "attempt, result, fingerprint, namespace, operation, idempotency_key) "
						+ "select sha256(number::text::bytea), created_at, expires_at, owner, ends_at, state, "
						+ "attempt, result, fingerprint, namespace, operation, idempotency_key "
						+ "from made, generate_series(1, " + records + ") number");
				statement.execute("vacuum analyze idempotency_record");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
	};

	private static final int MOST = 1_000_000;

	/**
	 * Starts an application on a store that can hold a number of records.
	 */
	abstract Subject open(Bench bench, int records);

	/**
	 * Fills the store with a number of records.
	 */
	abstract void fill(Subject subject, int records);

}
