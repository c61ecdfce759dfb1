package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

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
import dev.idempotency.store.RoutingStore;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A store in a table of a relational database, whose clock decides: PostgreSQL, MySQL,
 * MariaDB, H2, HSQLDB, SQLite, and others that speak standard SQL.
 * <p>
 * What it does takes effect at once, whatever transaction the caller is in, except for
 * {@link #completeInTransaction} and {@link #completeInCallersTransaction}. It therefore
 * needs a connection beside the caller's own.
 * <p>
 * Where a
 * {@linkplain org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource data
 * source routes}, to a database for each tenant for example, a key is claimed in that of
 * the calling thread, and what is done under the claim is done there.
 */
public final class JdbcIdempotencyStore
		implements SearchableStore, JoiningStore, PurgeableStore, RoutingStore, AutoCloseable {

	private final Places places;

	private final Survey survey;

	/**
	 * Create a store whose renewals use the same connections as all else: for data
	 * sources that are no pools.
	 * @param dataSource where connections come from
	 * @param settings where and how records are kept
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings) {
		this(dataSource, settings, RenewalDataSources.none());
	}

	/**
	 * Create a store.
	 * @param dataSource where connections come from
	 * @param settings where and how records are kept
	 * @param renewals where the connection of renewals comes from
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings, RenewalDataSources renewals) {
		this.places = new Places(dataSource, settings, renewals);
		this.survey = new Survey(this.places);
	}

	/**
	 * Where its connections come from.
	 * @return the data source; of a proxy that knows of transactions, its target
	 */
	public DataSource dataSource() {
		return this.places.dataSource();
	}

	/**
	 * Whether its database runs inside of the application, and so is nobody else's.
	 * @return whether it does; a database that cannot be reached does not
	 */
	public boolean isEmbedded() {
		return this.survey.areEmbedded();
	}

	/**
	 * Makes sure that the table is there.
	 * @param when whether to create it
	 * @throws dev.idempotency.IdempotencyConfigurationException if it is not there, or is
	 * not as it should be
	 */
	public void prepareTable(InitializeSchema when) {
		this.survey.prepare(when);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Place place = this.places.current();
		Asked asked = Asked.now(key, fingerprint, terms, this.places.areSeveral() ? place : null);
		return place.database()
			.onOwnConnection("claim a key", (connection, statements) -> statements.claims().claim(connection, asked));
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return this.places.of(claim).renewals().renew((connection, statements) -> {
			try (PreparedStatement update = connection.prepareStatement(statements.renew)) {
				update.setLong(1, lease.toMillis());
				update.setLong(2, lease.toMillis());
				update.setLong(3, lease.toMillis());
				return changedIfHeld(update, 4, claim) || isCompletedInTransaction(connection, statements, claim);
			}
		});
	}

	/**
	 * Whether a claim was completed by its transaction, and its owner has not asked yet
	 * what became of that: it has lost nothing.
	 */
	private static boolean isCompletedInTransaction(Connection connection, Statements statements, Claim claim)
			throws SQLException {
		try (PreparedStatement select = connection.prepareStatement(statements.isCompletedByOwner)) {
			select.setBytes(1, claim.key().digest());
			select.setBytes(2, Asked.bytes(claim.owner()));
			try (ResultSet rows = select.executeQuery()) {
				return rows.next();
			}
		}
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration ttl) {
		try {
			return databaseOf(claim).onOwnConnection("complete a key",
					(connection, statements) -> complete(connection, statements, claim, result, ttl));
		}
		catch (OwnTransactionWritesException ex) {
			// The work has become a part of that transaction anyway
			return completeInTransaction(claim, result, ttl);
		}
	}

	/**
	 * Where the transaction sees who has the key now, the record is completed, as it is
	 * outside of transactions. Elsewhere it may not even see the claim.
	 */
	@Override
	public boolean completeInTransaction(Claim claim, StoredResult result, Duration ttl) {
		return databaseOf(claim).inTransaction("complete a key",
				(connection, statements) -> statements.isolation().seesWhatIsCommitted()
						? complete(connection, statements, claim, result, ttl)
						: insertOutcome(connection, statements, claim, result, ttl));
	}

	@Override
	public boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration ttl) {
		return databaseOf(claim).inTransaction("complete a key",
				(connection, statements) -> insertOutcome(connection, statements, claim, result, ttl));
	}

	private static boolean insertOutcome(Connection connection, Statements statements, Claim claim, StoredResult result,
			Duration ttl) throws SQLException {
		requireRoom(statements, result);
		return statements.outcomes()
			.insert(connection, claim.key().digest(), Asked.bytes(claim.owner()), result.toFrame(), ttl);
	}

	@Override
	public boolean afterTransaction(Claim claim) {
		boolean released = databaseOf(claim).onOwnConnection("look at what became of a transaction",
				(connection, statements) -> releaseIfNotCompleted(connection, statements, claim));
		if (released) {
			databaseOf(claim).onOwnConnection("clear up after a transaction", (connection, statements) -> {
				statements.outcomes().unfence(connection, Asked.bytes(claim.owner()));
				return true;
			});
		}
		return !released;
	}

	/**
	 * Once its owner is fenced off, a commit that is still under way on a connection that
	 * broke has come to its end, one way or the other.
	 */
	private static boolean releaseIfNotCompleted(Connection connection, Statements statements, Claim claim)
			throws SQLException {
		byte[] id = claim.key().digest();
		byte[] owner = Asked.bytes(claim.owner());
		RecordRow row = RecordRow.read(connection, statements, id);
		boolean isHeld = row != null && !row.isCompleted() && row.isOwnedBy(owner);
		return isHeld && !statements.outcomes().fold(connection, id)
				&& statements.outcomes().fence(connection, id, owner) && release(connection, statements, claim);
	}

	@Override
	public boolean isInTransaction() {
		return Database.isInTransaction(this.places.dataSource());
	}

	private static boolean complete(Connection connection, Statements statements, Claim claim, StoredResult result,
			Duration ttl) throws SQLException {
		requireRoom(statements, result);
		try (PreparedStatement update = connection.prepareStatement(statements.complete)) {
			update.setLong(1, ttl.toMillis());
			update.setBytes(2, result.toFrame());
			return changedIfHeld(update, 3, claim);
		}
	}

	private static void requireRoom(Statements statements, StoredResult result) {
		if (result.size() > statements.largestResult()) {
			throw new ResultTooLargeException(
					"The result has %d bytes, more than the %d that the database takes (max_allowed_packet)"
						.formatted(result.size(), statements.largestResult()));
		}
	}

	@Override
	public boolean release(Claim claim) {
		try {
			return releaseAtOnce(claim);
		}
		catch (OwnTransactionWritesException ex) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					releaseAtOnce(claim);
				}

			});
			return true;
		}
	}

	private boolean releaseAtOnce(Claim claim) {
		return databaseOf(claim).onOwnConnection("release a key",
				(connection, statements) -> release(connection, statements, claim));
	}

	private static boolean release(Connection connection, Statements statements, Claim claim) throws SQLException {
		if (claim.attempt() == 1) {
			try (PreparedStatement delete = connection.prepareStatement(statements.release)) {
				return changedIfHeld(delete, 1, claim);
			}
		}
		try (PreparedStatement update = connection.prepareStatement(statements.abandon)) {
			update.setBytes(1, Asked.bytes(RecordRow.NOBODY));
			return changedIfHeld(update, 2, claim);
		}
	}

	@Override
	public boolean forget(Claim claim) {
		return databaseOf(claim).onOwnConnection("forget a key", (connection, statements) -> {
			try (PreparedStatement delete = connection.prepareStatement(statements.release)) {
				return changedIfHeld(delete, 1, claim);
			}
		});
	}

	private Database databaseOf(Claim claim) {
		return this.places.of(claim).database();
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
		byte[] id = key.digest();
		return this.places.current().database().onOwnConnection("find a key", (connection, statements) -> {
			RecordRow row = RecordRow.read(connection, statements, id);
			if (row != null && !row.isCompleted() && statements.outcomes().fold(connection, id)) {
				row = RecordRow.read(connection, statements, id);
			}
			return Optional.ofNullable(row).filter((found) -> !found.isOver()).map(RecordRow::inspect);
		});
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return forget(this.places.current(), key.digest());
	}

	private static boolean forget(Place place, byte[] digest) {
		return place.database()
			.onOwnConnection("forget a key",
					(connection, statements) -> new Forgetting(connection, statements).forget(digest));
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		return this.survey.search(filter, offset, limit);
	}

	@Override
	public Counts count(String namespace) {
		return this.survey.count(namespace);
	}

	@Override
	public Optional<Details> find(RecordId id) {
		return this.survey.find(id);
	}

	@Override
	public boolean forget(RecordId id) {
		Place place = this.places.areSeveral() ? this.survey.placeOf(id) : this.places.current();
		return place != null && forget(place, id.digest());
	}

	@Override
	public int purge(int limit) {
		return this.survey.purge(limit);
	}

	@Override
	public @Nullable Object place() {
		return this.places.areSeveral() ? this.places.current() : null;
	}

	@Override
	public @Nullable Object placeOf(RecordId id) {
		return this.places.areSeveral() ? this.survey.placeOf(id) : null;
	}

	@Override
	public <T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work) {
		return this.places.at(place, work);
	}

	/**
	 * Closes what was opened for renewals. Everything else still works.
	 */
	@Override
	public void close() {
		this.places.close();
	}

}
