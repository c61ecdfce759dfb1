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
 * Stores with many records in them. Where the store can copy a record, one is made by a
 * request, and the others are copies of it.
 */
enum Filling {

	MEMORY {
		@Override
		Subject open(Bench bench, int records) {
			Subject subject = bench.onMemory("--idempotency.memory.max-entries=3000000",
					"--idempotency.memory.max-size=1500MB");
			subject.fill(records);
			return subject;
		}
	},

	/**
	 * At its limit, where each new result takes the place of an old one.
	 */
	FULL_MEMORY {
		@Override
		Subject open(Bench bench, int records) {
			Subject subject = bench.onMemory();
			subject.fill(records);
			return subject;
		}
	},

	REDIS {
		@Override
		Subject open(Bench bench, int records) {
			Servers.Redis server = bench.redis();
			Subject subject = bench.onRedis(server);
			subject.fill(1);
			try (RedisClient client = RedisClient.create(RedisURI.create("localhost", server.port()));
					StatefulRedisConnection<String, String> connection = client.connect()) {
				connection.setTimeout(Duration.ofMinutes(5));
				String name = connection.sync().keys("idempotency:*").get(0);
				connection.sync()
					.eval("for i = 1, tonumber(ARGV[1]) do redis.call('COPY', KEYS[1], 'idempotency:copy-' .. i) end",
							ScriptOutputType.STATUS, new String[] { name }, String.valueOf(records));
			}
			return subject;
		}
	},

	POSTGRES {
		@Override
		Subject open(Bench bench, int records) {
			Servers.Postgres server = bench.postgres();
			Subject subject = bench.onPostgres(server);
			subject.fill(1);
			try (Connection connection = DriverManager.getConnection(server.url());
					Statement statement = connection.createStatement()) {
				statement.execute("create temporary table made as select * from idempotency_record");
				statement.execute("insert into idempotency_record select (copy).* from (select jsonb_populate_record("
						+ "null::idempotency_record, to_jsonb(made) || jsonb_build_object('id', '\\x' || "
						+ "encode(sha256(number::text::bytea), 'hex'))) as copy from made, generate_series(1, "
						+ records + ") number) copies");
				statement.execute("vacuum analyze idempotency_record");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			return subject;
		}
	};

	/**
	 * How many records there are to be.
	 */
	int[] sizes() {
		return (this == FULL_MEMORY) ? new int[] { 100_000 } : new int[] { 100_000, 1_000_000 };
	}

	/**
	 * An application on a store with records in it.
	 */
	abstract Subject open(Bench bench, int records);

}
