package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.RoutingStore;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.jdbc.Database.ConnectionWork;
import dev.idempotency.store.jdbc.Database.OwnTransactionWritesException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
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

	private final Databases databases;

	/**
	 * Create a store whose renewals use the same connections as everything else, for data
	 * sources that are not pools.
	 * @param dataSource the source of connections
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings) {
		this(dataSource, settings, RenewalDataSources.none());
	}

	/**
	 * Create a store.
	 * @param dataSource the source of connections
	 * @param renewals the source of the connection for renewals
	 */
	public JdbcIdempotencyStore(DataSource dataSource, JdbcSettings settings, RenewalDataSources renewals) {
		this.databases = new Databases(dataSource, settings, renewals);
	}

	/**
	 * The source of its connections.
	 * @return the data source, or the target of a transaction-aware proxy
	 */
	public DataSource dataSource() {
		return this.databases.dataSource();
	}

	/**
	 * Whether its database runs inside the application, so that no other process uses it.
	 * @return whether it does; a database that cannot be reached does not
	 */
	public boolean isEmbedded() {
		boolean[] embedded = { true };
		DataAccessException failure = this.databases.visit("inspect the database", (database, connection, tables) -> {
			embedded[0] &= tables.dialect().isEmbedded(connection.getMetaData().getURL());
			return embedded[0];
		});
		return embedded[0] && failure == null;
	}

	/**
	 * Makes sure that the table exists.
	 * @param when whether to create it
	 * @throws dev.idempotency.IdempotencyConfigurationException if it is missing or
	 * unusable
	 */
	public void prepareTable(InitializeSchema when) {
		throwIfAny(this.databases.visit("prepare the table", (database, connection, tables) -> {
			try {
				tables.prepare(connection, when);
				return true;
			}
			catch (IdempotencyConfigurationException ex) {
				throw this.databases.areSeveral()
						? new IdempotencyConfigurationException(
								"In the database %s: %s".formatted(connection.getCatalog(), ex.problem()), ex.remedy())
						: ex;
			}
		}));
	}

	private static void throwIfAny(@Nullable DataAccessException failure) {
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Database database = this.databases.current();
		return database.onOwnConnection("claim a key",
				new ClaimAttempt(key, fingerprint, terms, this.databases.areSeveral() ? database : null));
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
		return this.databases.of(claims.get(0))
			.onRenewalConnection(
					(connection, tables) -> ClaimedRecord.renew(connection, tables.statements(), claims, lease));
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
			return tables.seesWhatIsCommitted() ? record.complete(result, atLeast)
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
			databaseOf(claim).onOwnConnection("clean up after a transaction",
					(connection, tables) -> new ClaimedRecord(connection, tables, claim).unfence());
		}
		return !released;
	}

	@Override
	public boolean isInTransaction() {
		return Database.isInTransaction(this.databases.dataSource());
	}

	@Override
	public boolean release(Claim claim) {
		return end(claim, "release a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).release());
	}

	@Override
	public boolean abandon(Claim claim) {
		return end(claim, "abandon a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).abandon());
	}

	private boolean end(Claim claim, String what, ConnectionWork<Boolean> ending) {
		try {
			return databaseOf(claim).onOwnConnection(what, ending);
		}
		catch (OwnTransactionWritesException ex) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					databaseOf(claim).onOwnConnection(what, ending);
				}

			});
			return true;
		}
	}

	@Override
	public boolean forget(Claim claim) {
		return databaseOf(claim).onOwnConnection("forget a key",
				(connection, tables) -> new ClaimedRecord(connection, tables, claim).forget());
	}

	private Database databaseOf(Claim claim) {
		return this.databases.of(claim);
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.databases.current()
			.onOwnConnection("find a key",
					(connection, tables) -> new TableSearch(connection, tables).find(RecordId.of(key)));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return forget(this.databases.current(), key.digest());
	}

	private static boolean forget(Database database, byte[] digest) {
		return database.onOwnConnection("forget a key",
				(connection, tables) -> new Removal(connection, tables).forget(digest));
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		SearchableStore.requireReachable(offset, limit);
		if (!this.databases.areSeveral()) {
			return this.databases.current()
				.onOwnConnection("search for records", (connection, tables) -> new TableSearch(connection, tables)
					.search(filter, offset, limit, TableSearch.MOST_SEARCHED_BLOCKS));
		}
		NewestRecords newest = new NewestRecords(offset, limit);
		List<Boolean> complete = new ArrayList<>();
		DataAccessException failure = this.databases.visit("search for records", (database, connection, tables) -> {
			Found found = new TableSearch(connection, tables).search(filter, 0, newest.reach(),
					TableSearch.MOST_SEARCHED_BLOCKS);
			found.records().forEach(newest::add);
			return complete.add(found.complete());
		});
		return new Found(newest.page(), isWhole(complete, failure));
	}

	@Override
	public Counts count(String namespace) {
		RecordTally tally = new RecordTally();
		List<Boolean> exact = new ArrayList<>();
		DataAccessException failure = this.databases.visit("count records", (database, connection, tables) -> {
			Counts counts = new TableSearch(connection, tables).count(namespace, TableSearch.MOST_COUNTED_BLOCKS);
			counts.counts().forEach((count) -> tally.add(count.operation(), count.state(), count.number()));
			return exact.add(counts.exact());
		});
		return new Counts(tally.counts().counts(), isWhole(exact, failure));
	}

	/**
	 * Whether nothing is missing from a result. Fails if all is.
	 */
	private static boolean isWhole(List<Boolean> parts, @Nullable DataAccessException failure) {
		if (parts.isEmpty()) {
			throwIfAny(failure);
		}
		return failure == null && !parts.contains(false);
	}

	@Override
	public Optional<Inspection> find(RecordId id) {
		return Optional.ofNullable(locate(id)).map(Located::record);
	}

	@Override
	public boolean forget(RecordId id) {
		Database database = this.databases.areSeveral() ? databaseOf(id) : this.databases.current();
		return database != null && forget(database, id.digest());
	}

	@Override
	public int purge(int limit) {
		int[] purged = { 0 };
		DataAccessException failure = this.databases.visit("purge expired records", (database, connection, tables) -> {
			purged[0] += new Removal(connection, tables).purge(limit - purged[0]);
			return purged[0] < limit;
		});
		if (purged[0] < limit) {
			throwIfAny(failure);
		}
		return purged[0];
	}

	@Override
	public @Nullable Object place() {
		return this.databases.areSeveral() ? this.databases.current() : null;
	}

	@Override
	public @Nullable Object placeOf(RecordId id) {
		return this.databases.areSeveral() ? databaseOf(id) : null;
	}

	private @Nullable Database databaseOf(RecordId id) {
		Located located = locate(id);
		return (located != null) ? located.database() : null;
	}

	private @Nullable Located locate(RecordId id) {
		Located[] located = new Located[1];
		DataAccessException failure = this.databases.visit("find a record", (database, connection, tables) -> {
			new TableSearch(connection, tables).find(id)
				.ifPresent((record) -> located[0] = new Located(database, record));
			return located[0] == null;
		});
		if (located[0] == null) {
			throwIfAny(failure);
		}
		return located[0];
	}

	@Override
	public <T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work) {
		return this.databases.at(place, work);
	}

	/**
	 * Closes the connections for renewals. Everything else still works.
	 */
	@Override
	public void close() {
		this.databases.close();
	}

	/**
	 * A record and its database.
	 */
	private record Located(Database database, Inspection record) {
	}

}
