package dev.idempotency.benchmarks.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * The floor on PostgreSQL: one statement that reads the row or inserts it, so that a
 * replay writes nothing, and one update.
 */
@ConditionalOnProperty(name = "load.floor", havingValue = "postgres")
final class FloorOnPostgres extends Floor {

	private static final String CLAIM = "with there as (select result from floor where id = ?), "
			+ "taken as (insert into floor (id, expires_at) select ?, now() + ? * interval '1 millisecond' "
			+ "where not exists (select 1 from there) on conflict do nothing) select result from there";

	private static final String COMPLETE = "update floor set result = ?, "
			+ "expires_at = now() + ? * interval '1 millisecond' where id = ?";

	private final DataSource dataSource;

	FloorOnPostgres(DataSource dataSource) throws SQLException {
		this.dataSource = dataSource;
		try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("create table if not exists floor (id text primary key, "
					+ "expires_at timestamp with time zone not null, result bytea)");
			// Expired responses have to be found
			statement.execute("create index if not exists floor_expires_at on floor (expires_at)");
		}
	}

	@Override
	byte @Nullable [] claim(String key) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(CLAIM)) {
			statement.setString(1, key);
			statement.setString(2, key);
			statement.setLong(3, LEASE_MILLIS);
			try (ResultSet there = statement.executeQuery()) {
				return there.next() ? there.getBytes(1) : null;
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	void complete(String key, byte[] answer) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(COMPLETE)) {
			statement.setBytes(1, answer);
			statement.setLong(2, TTL_MILLIS);
			statement.setString(3, key);
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
