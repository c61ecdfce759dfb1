package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import dev.idempotency.store.Claim;
import dev.idempotency.store.jdbc.Database.ConnectionWork;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews leases, many with one statement, on a connection that no handler can take if
 * there is one. If that connection fails, it falls back to the data source of everything
 * else, although that may be a pool with an unknown wait.
 */
final class Renewals implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Renewals.class);

	private static final String TASK = "renew leases";

	private final Database database;

	private final @Nullable DataSource dataSource;

	private volatile boolean failed;

	Renewals(Database database, @Nullable DataSource dataSource) {
		this.database = database;
		this.dataSource = dataSource;
	}

	/**
	 * Renews leases.
	 * @return the claims that are lost
	 */
	Set<Claim> renew(List<Claim> claims, Duration lease) {
		ConnectionWork<Set<Claim>> renewal = (connection, tables) -> renew(connection, tables.statements(), claims,
				lease.toMillis());
		if (this.dataSource == null) {
			return this.database.onOwnConnection(TASK, renewal);
		}
		try (Connection connection = this.dataSource.getConnection()) {
			this.database.align(connection);
			Set<Claim> lost = this.database.onOwnConnection(connection, renewal);
			this.failed = false;
			return lost;
		}
		// Pools with a wrong configuration throw the latter
		catch (SQLException | RuntimeException ex) {
			if (!this.failed) {
				this.failed = true;
				logger.warn("Failed to renew leases on the connection for renewals of {}, and use the pool: {}",
						this.database, ex.toString());
			}
			logger.debug("Renewing leases on a connection of the pool", ex);
			return this.database.onOwnConnection(TASK, renewal);
		}
	}

	/**
	 * An owner belongs to one claim, so that the update changes only records of claims.
	 * What is lost is found by both, the id and the owner.
	 */
	private static Set<Claim> renew(Connection connection, Statements statements, List<Claim> claims, Long millis)
			throws SQLException {
		List<Object> records = new ArrayList<>();
		// Few lengths, so that the database knows most of the statements
		int size = (claims.size() > 1) ? 2 * Integer.highestOneBit(claims.size() - 1) : 1;
		for (int i = 0; i < size; i++) {
			records.add(claims.get(Math.min(i, claims.size() - 1)).key().digest());
		}
		for (int i = 0; i < size; i++) {
			records.add(OwnedRecord.number(claims.get(Math.min(i, claims.size() - 1)).owner()));
		}
		List<Object> parameters = new ArrayList<>(List.of(millis, millis, millis));
		parameters.addAll(records);
		if (Sql.update(connection, statements.renew(size), parameters.toArray()) == claims.size()) {
			return Set.of();
		}
		Set<List<Object>> held = new HashSet<>(Sql.list(connection, statements.held(size),
				(row) -> List.of(row.getLong(1), ByteBuffer.wrap(row.getBytes(2))), records.toArray()));
		return claims.stream()
			.filter((claim) -> !held
				.contains(List.of(OwnedRecord.number(claim.owner()), ByteBuffer.wrap(claim.key().digest()))))
			.collect(Collectors.toSet());
	}

	@Override
	public void close() {
		if (this.dataSource instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				logger.debug("A data source could not be closed", ex);
			}
		}
	}

}
