package dev.idempotency.benchmarks;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SetCondition;
import org.springframework.data.redis.core.types.Expiration;

/**
 * The floor under each store: the least code that makes the same round trips. It has no
 * owner, no fingerprint, no lease and no dates.
 */
interface ByHand {

	Duration LEASE = Duration.ofSeconds(30);

	Duration TTL = Duration.ofHours(24);

	/**
	 * Claims a new id, and stores the result under it.
	 */
	boolean first(String id, byte[] result) throws SQLException;

	byte @Nullable [] replay(String id) throws SQLException;

	/**
	 * A map.
	 */
	final class InMemory implements ByHand {

		private static final byte[] TAKEN = new byte[0];

		private static final int MOST = 100_000;

		private final Map<String, byte[]> map = new ConcurrentHashMap<>();

		@Override
		public boolean first(String id, byte[] result) {
			if (this.map.putIfAbsent(id, TAKEN) != null) {
				return false;
			}
			this.map.put(id, result);
			if (this.map.size() > MOST) {
				this.map.remove(id);
			}
			return true;
		}

		@Override
		public byte @Nullable [] replay(String id) {
			return this.map.get(id);
		}

	}

	/**
	 * SET NX and SET; GET.
	 */
	final class OnRedis implements ByHand {

		private static final byte[] TAKEN = { 0 };

		private final RedisConnectionFactory connections;

		OnRedis(RedisConnectionFactory connections) {
			this.connections = connections;
		}

		@Override
		public boolean first(String id, byte[] result) {
			byte[] key = key(id);
			try (RedisConnection connection = this.connections.getConnection()) {
				if (!Boolean.TRUE.equals(
						connection.stringCommands().set(key, TAKEN, SetCondition.ifAbsent(), Expiration.from(LEASE)))) {
					return false;
				}
			}
			try (RedisConnection connection = this.connections.getConnection()) {
				return Boolean.TRUE
					.equals(connection.stringCommands().set(key, result, SetCondition.upsert(), Expiration.from(TTL)));
			}
		}

		@Override
		public byte @Nullable [] replay(String id) {
			try (RedisConnection connection = this.connections.getConnection()) {
				return connection.stringCommands().get(key(id));
			}
		}

		private static byte[] key(String id) {
			return ("by-hand:" + id).getBytes(StandardCharsets.UTF_8);
		}

	}

	/**
	 * INSERT and UPDATE; SELECT.
	 */
	final class OnDatabase implements ByHand {

		private final DataSource dataSource;

		private final String onConflict;

		/**
		 * Create the table.
		 * @param dataSource the source of connections
		 * @param onConflict the clause for an insertion of an id that exists
		 */
		OnDatabase(DataSource dataSource, String onConflict) throws SQLException {
			this.dataSource = dataSource;
			this.onConflict = onConflict;
			try (Connection connection = dataSource.getConnection();
					Statement statement = connection.createStatement()) {
				statement.execute("drop table if exists by_hand");
				statement.execute("create table by_hand (id varchar(255) not null primary key, "
						+ "expires_at timestamp with time zone not null, result "
						+ (onConflict.isEmpty() ? "varbinary(1048576)" : "bytea") + ")");
			}
		}

		@Override
		public boolean first(String id, byte[] result) throws SQLException {
			try (Connection connection = this.dataSource.getConnection();
					PreparedStatement insert = connection.prepareStatement("insert into by_hand (id, expires_at) "
							+ "values (?, current_timestamp + interval '30' second) " + this.onConflict)) {
				insert.setString(1, id);
				if (insert.executeUpdate() == 0) {
					return false;
				}
			}
			try (Connection connection = this.dataSource.getConnection();
					PreparedStatement update = connection.prepareStatement("update by_hand set result = ?, "
							+ "expires_at = current_timestamp + interval '24' hour where id = ?")) {
				update.setBytes(1, result);
				update.setString(2, id);
				return update.executeUpdate() == 1;
			}
		}

		@Override
		public byte @Nullable [] replay(String id) throws SQLException {
			try (Connection connection = this.dataSource.getConnection();
					PreparedStatement select = connection.prepareStatement(
							"select result from by_hand where id = ? and expires_at > current_timestamp")) {
				select.setString(1, id);
				try (ResultSet rows = select.executeQuery()) {
					return rows.next() ? rows.getBytes(1) : null;
				}
			}
		}

	}

}
