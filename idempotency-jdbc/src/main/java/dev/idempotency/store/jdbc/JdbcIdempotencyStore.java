package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.BatchRenewingStore;
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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A store in a table of a relational database: PostgreSQL, MySQL, MariaDB, H2, HSQLDB,
 * SQLite, or another one with standard SQL. The clock of the database decides what has
 * expired.
 * <p>
 * Every write except {@link #completeInTransaction} and
 * {@link #completeInCallersTransaction} takes effect at once, even if the caller is in a
 * transaction. The store therefore needs a connection in addition to the caller's own.
 * <p>
 * Where a
 * {@linkplain org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource data
 * source routes}, for example to a database for each tenant, a key is claimed in the
 * database of the calling thread. Everything under that claim happens there.
 */
public final class JdbcIdempotencyStore
		implements SearchableStore, JoiningStore, PurgeableStore, RoutingStore, BatchRenewingStore, AutoCloseable {

	private final Places places;

	private final Survey survey;

	/**
	 * Create a store whose renewals use the same connections as everything else, for data
	 * sources that are not pools.
	 * @param dataSource the source of connections
	 * @param settings the settings
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings) {
		this(dataSource, settings, RenewalDataSources.none());
	}

	/**
	 * Create a store.
	 * @param dataSource the source of connections
	 * @param settings the settings
	 * @param renewals the source of the connection for renewals
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings, RenewalDataSources renewals) {
		this.places = new Places(dataSource, settings, renewals);
		this.survey = new Survey(this.places);
	}

	/**
	 * The source of its connections.
	 * @return the data source, or the target of a transaction-aware proxy
	 */
	public DataSource dataSource() {
		return this.places.dataSource();
	}

	/**
	 * Whether its database runs inside the application, so that no other process uses it.
	 * @return whether it does; a database that cannot be reached does not
	 */
	public boolean isEmbedded() {
		return this.survey.areEmbedded();
	}

	/**
	 * Makes sure that the table exists.
	 * @param when whether to create it
	 * @throws dev.idempotency.IdempotencyConfigurationException if it is missing or
	 * unusable
	 */
	public void prepareTable(InitializeSchema when) {
		this.survey.prepare(when);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Place place = this.places.current();
		ClaimRequest request = new ClaimRequest(key, fingerprint, terms, this.places.areSeveral() ? place : null);
		return place.database()
			.onOwnConnection("claim a key", (connection, tables) -> claim(connection, tables, request));
	}

	private static ClaimResult claim(Connection connection, Tables tables, ClaimRequest request) throws SQLException {
		boolean again = request.hasOwner();
		tables.outcomes().foldCommitted(connection);
		ClaimResult result = tables.claims().claim(connection, request);
		if (again && result instanceof ClaimResult.Refused) {
			// An earlier try may have claimed the key, and its reply was lost
			RecordRow row = RecordRow.read(connection, tables.statements(), request.key().digest());
			if (row != null && !row.isCompleted() && row.isOwnedBy(request.ownerNumber())) {
				return request.granted(row.attempt());
			}
		}
		return result;
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return renewAll(List.of(claim), lease).isEmpty();
	}

	@Override
	public @Nullable Object renewalPlace(Claim claim) {
		return claim.place();
	}

	@Override
	public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
		return this.places.of(claims.get(0)).renewals().renew(claims, lease);
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		try {
			return databaseOf(claim).onOwnConnection("complete a key",
					(connection, tables) -> new ClaimedRecord(connection, tables, claim).complete(result, atLeast));
		}
		catch (OwnTransactionWritesException ex) {
			// The work is a part of that transaction anyway
			return completeInTransaction(claim, result, atLeast);
		}
	}

	/**
	 * Completes the record itself where the transaction sees the current owner, as
	 * outside of transactions. Otherwise the transaction may not even see the claim.
	 */
	@Override
	public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return databaseOf(claim).inTransaction("complete a key", (connection, tables) -> {
			ClaimedRecord record = new ClaimedRecord(connection, tables, claim);
			return tables.isolation().seesWhatIsCommitted() ? record.complete(result, atLeast)
					: record.completeBeside(result, atLeast);
		});
	}

	@Override
	public boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return databaseOf(claim).inTransaction("complete a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).completeBeside(result, atLeast));
	}

	@Override
	public boolean holdInTransaction(Claim claim, Duration lease) {
		return databaseOf(claim).inTransaction("hold a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).hold());
	}

	@Override
	public boolean afterTransaction(Claim claim) {
		boolean released = databaseOf(claim).onOwnConnection("check the outcome of a transaction",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).releaseIfNotCompleted());
		if (released) {
			databaseOf(claim).onOwnConnection("clean up after a transaction", (connection, tables) -> {
				new ClaimedRecord(connection, tables, claim).unfence();
				return true;
			});
		}
		return !released;
	}

	@Override
	public boolean isInTransaction() {
		return Database.isInTransaction(this.places.dataSource());
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
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).release());
	}

	@Override
	public boolean forget(Claim claim) {
		return databaseOf(claim).onOwnConnection("forget a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).forget());
	}

	private Database databaseOf(Claim claim) {
		return this.places.of(claim).database();
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.places.current()
			.database()
			.onOwnConnection("find a key",
					(connection, tables) -> new TableSearch(connection, tables).find(RecordId.of(key)));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return forget(this.places.current(), key.digest());
	}

	private static boolean forget(Place place, byte[] digest) {
		return place.database()
			.onOwnConnection("forget a key", (connection, tables) -> new Forgetting(connection, tables).forget(digest));
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
	public Optional<Inspection> find(RecordId id) {
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
	 * Closes the connections for renewals. Everything else still works.
	 */
	@Override
	public void close() {
		this.places.close();
	}

	/**
	 * Forgets a key in any state. The owner of a key in progress loses its claim.
	 */
	private static final class Forgetting {

		private static final int MOST_TURNS = 1000;

		private final Connection connection;

		private final Statements statements;

		private final Outcomes outcomes;

		private Forgetting(Connection connection, Tables tables) {
			this.connection = connection;
			this.statements = tables.statements();
			this.outcomes = tables.outcomes();
		}

		boolean forget(byte[] id) throws SQLException {
			for (int turn = 0; turn < MOST_TURNS; turn++) {
				if (Sql.update(this.connection, this.statements.forgetCompleted, id) == 1) {
					return true;
				}
				RecordRow row = RecordRow.read(this.connection, this.statements, id);
				if (row == null || (row.isOver() && (row.isCompleted() || !this.outcomes.fold(this.connection, id)))) {
					return false;
				}
				OwnedRecord record = new OwnedRecord(row.owner(), id);
				if (!row.isOver() && !row.isCompleted() && this.outcomes.fence(this.connection, record)
						&& Sql.update(this.connection, this.statements.forgetOwned, id, record.owner()) == 1) {
					return true;
				}
			}
			throw new SQLException("The key changed on every attempt to forget it");
		}

	}

}
