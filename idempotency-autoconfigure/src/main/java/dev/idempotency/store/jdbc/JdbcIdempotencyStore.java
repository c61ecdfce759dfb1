package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import javax.sql.DataSource;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;

import org.springframework.dao.DataAccessException;

/**
 * A store in a table of a relational database, whose clock decides: PostgreSQL, MySQL,
 * MariaDB, H2, HSQLDB, SQLite, and others that speak standard SQL.
 * <p>
 * What it does takes effect at once, whatever transaction the caller is in, except for
 * {@link #completeInTransaction}. It therefore needs a connection beside the caller's
 * own.
 */
public final class JdbcIdempotencyStore implements SearchableStore, JoiningStore, PurgeableStore {

	private static final UUID NOBODY = new UUID(0, 0);

	private final Database database;

	private final TableSchema schema;

	/**
	 * Create a store.
	 * @param dataSource where connections come from
	 * @param settings where and how records are kept
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings) {
		this.database = new Database(dataSource, settings);
		this.schema = new TableSchema(this.database, settings);
	}

	/**
	 * Where its connections come from.
	 * @return the data source; of a proxy that knows of transactions, its target
	 */
	public DataSource dataSource() {
		return this.database.dataSource();
	}

	/**
	 * Whether its database runs inside of the application, and so is nobody else's.
	 * @return whether it does; a database that cannot be reached does not
	 */
	public boolean isEmbedded() {
		try {
			return this.database.onOwnConnection("look at the database",
					(connection, statements) -> statements.dialect().isEmbedded(connection.getMetaData().getURL()));
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

	/**
	 * Makes sure that the table is there.
	 * @param when whether to create it
	 * @throws dev.idempotency.IdempotencyConfigurationException if it is not there, or is
	 * not as it should be
	 */
	public void prepareTable(InitializeSchema when) {
		this.schema.prepare(when);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Asked asked = Asked.now(key, fingerprint, terms);
		return this.database.onOwnConnection("claim a key",
				(connection, statements) -> statements.claims().claim(connection, asked));
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return this.database.onOwnConnection("renew a lease", (connection, statements) -> {
			try (PreparedStatement update = connection.prepareStatement(statements.renew)) {
				update.setLong(1, lease.toMillis());
				update.setLong(2, lease.toMillis());
				update.setLong(3, lease.toMillis());
				return changedIfHeld(update, 4, claim);
			}
		});
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration ttl) {
		return this.database.onOwnConnection("complete a key",
				(connection, statements) -> complete(connection, statements, claim, result, ttl));
	}

	@Override
	public boolean completeInTransaction(Claim claim, StoredResult result, Duration ttl) {
		return this.database.inTransaction("complete a key",
				(connection, statements) -> complete(connection, statements, claim, result, ttl));
	}

	@Override
	public boolean isInTransaction() {
		return this.database.isInTransaction();
	}

	private static boolean complete(Connection connection, Statements statements, Claim claim, StoredResult result,
			Duration ttl) throws SQLException {
		if (result.size() > statements.largestResult()) {
			throw new ResultTooLargeException(
					"The result has %d bytes, more than the %d that the database takes (max_allowed_packet)"
						.formatted(result.size(), statements.largestResult()));
		}
		try (PreparedStatement update = connection.prepareStatement(statements.complete)) {
			update.setLong(1, ttl.toMillis());
			update.setBytes(2, result.toFrame());
			return changedIfHeld(update, 3, claim);
		}
	}

	@Override
	public boolean release(Claim claim) {
		return this.database.onOwnConnection("release a key", (connection, statements) -> {
			if (claim.attempt() == 1) {
				try (PreparedStatement delete = connection.prepareStatement(statements.release)) {
					return changedIfHeld(delete, 1, claim);
				}
			}
			try (PreparedStatement update = connection.prepareStatement(statements.abandon)) {
				update.setBytes(1, Asked.bytes(NOBODY));
				return changedIfHeld(update, 2, claim);
			}
		});
	}

	@Override
	public boolean forget(Claim claim) {
		return this.database.onOwnConnection("forget a key", (connection, statements) -> {
			try (PreparedStatement delete = connection.prepareStatement(statements.release)) {
				return changedIfHeld(delete, 1, claim);
			}
		});
	}

	/**
	 * Every write after the claim says whose it is.
	 */
	private static boolean changedIfHeld(PreparedStatement statement, int next, Claim claim) throws SQLException {
		statement.setBytes(next, claim.key().digest());
		statement.setBytes(next + 1, Asked.bytes(claim.owner()));
		return statement.executeUpdate() == 1;
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.database.onOwnConnection("find a key",
				(connection, statements) -> Optional.ofNullable(RecordRow.read(connection, statements, key.digest()))
					.filter((row) -> !row.isOver())
					.map(RecordRow::inspect));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return forget(key.digest());
	}

	private boolean forget(byte[] digest) {
		return this.database.onOwnConnection("forget a key", (connection, statements) -> {
			try (PreparedStatement delete = connection.prepareStatement(statements.forget)) {
				delete.setBytes(1, digest);
				return delete.executeUpdate() == 1;
			}
		});
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		SearchableStore.requireReachable(offset, limit);
		return this.database.onOwnConnection("search for records",
				(connection, statements) -> new RecordSearch(connection, statements).search(filter, offset, limit));
	}

	@Override
	public Counts count(String namespace) {
		return this.database.onOwnConnection("count records", (connection,
				statements) -> new RecordSearch(connection, statements).count(namespace, RecordSearch.MOST_BLOCKS));
	}

	@Override
	public Optional<Details> find(RecordId id) {
		return this.database.onOwnConnection("find a record",
				(connection, statements) -> new RecordSearch(connection, statements).find(id));
	}

	@Override
	public boolean forget(RecordId id) {
		return forget(id.digest());
	}

	@Override
	public int purge(int limit) {
		return this.database.onOwnConnection("purge what is over",
				(connection, statements) -> new BatchPurge(statements).purge(connection, limit));
	}

}
