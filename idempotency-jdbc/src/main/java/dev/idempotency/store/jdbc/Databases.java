package dev.idempotency.store.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.idempotency.store.Claim;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ReflectionUtils;

/**
 * The databases that hold records: one, or all to which a data source routes.
 */
final class Databases implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Databases.class);

	/**
	 * Protected in {@link AbstractRoutingDataSource}.
	 */
	private static final Method TARGET = Objects
		.requireNonNull(ReflectionUtils.findMethod(AbstractRoutingDataSource.class, "determineTargetDataSource"));

	static {
		ReflectionUtils.makeAccessible(TARGET);
	}

	private final DataSource dataSource;

	private final JdbcSettings settings;

	private final RenewalDataSources renewals;

	private final @Nullable AbstractRoutingDataSource router;

	private final @Nullable Database only;

	private final Map<DataSource, Database> targets = new ConcurrentHashMap<>();

	@SuppressWarnings("ThreadLocalUsage") // It is that of one store
	private final ThreadLocal<@Nullable Database> chosen = new ThreadLocal<>();

	Databases(DataSource dataSource, JdbcSettings settings, RenewalDataSources renewals) {
		this.dataSource = withoutTransactions(dataSource);
		this.settings = settings;
		this.renewals = renewals;
		this.router = router(this.dataSource);
		this.only = (this.router == null) ? create(this.dataSource) : null;
		// So that warnings about them appear at startup
		all();
	}

	/**
	 * Unwraps a transaction-aware proxy, which would make the store join the caller's
	 * transaction.
	 */
	private static DataSource withoutTransactions(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : dataSource;
	}

	/**
	 * Finds the routing data source, also behind wrappers.
	 * @return {@code null} if there is none
	 */
	private static @Nullable AbstractRoutingDataSource router(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class)
					? dataSource.unwrap(AbstractRoutingDataSource.class) : null;
		}
		catch (SQLException ex) {
			// Not every data source can be unwrapped
			return null;
		}
	}

	/**
	 * The target of the calling thread.
	 * @throws IllegalStateException if it has none
	 */
	private static DataSource target(AbstractRoutingDataSource router) {
		DataSource target = (DataSource) Objects.requireNonNull(ReflectionUtils.invokeMethod(TARGET, router));
		AbstractRoutingDataSource further = router(target);
		return (further != null) ? target(further) : target;
	}

	/**
	 * The targets that a router lists.
	 */
	private static Set<DataSource> listed(AbstractRoutingDataSource router) {
		Set<DataSource> targets = new LinkedHashSet<>();
		if (router.getResolvedDefaultDataSource() != null) {
			targets.add(router.getResolvedDefaultDataSource());
		}
		try {
			targets.addAll(router.getResolvedDataSources().values());
		}
		catch (IllegalStateException ex) {
			// A subclass that manages its targets itself
		}
		Set<DataSource> flat = new LinkedHashSet<>();
		for (DataSource target : targets) {
			AbstractRoutingDataSource further = router(target);
			flat.addAll((further != null) ? listed(further) : Set.of(target));
		}
		return flat;
	}

	/**
	 * The data source of transactions.
	 */
	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Whether there may be several.
	 */
	boolean areSeveral() {
		return this.only == null;
	}

	/**
	 * The database of the calling thread.
	 */
	Database current() {
		if (this.router == null) {
			return Objects.requireNonNull(this.only);
		}
		Database database = this.chosen.get();
		return (database != null) ? database : at(target(this.router));
	}

	/**
	 * The database of a claim, on any thread.
	 */
	Database of(Claim claim) {
		return (claim.place() instanceof Database database) ? database : current();
	}

	/**
	 * Does some work as if the calling thread were routed to a database.
	 */
	<T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work) {
		if (!(place instanceof Database wanted)) {
			return work.get();
		}
		Database before = this.chosen.get();
		this.chosen.set(wanted);
		try {
			return work.get();
		}
		finally {
			if (before != null) {
				this.chosen.set(before);
			}
			else {
				this.chosen.remove();
			}
		}
	}

	private Database at(DataSource source) {
		Database known = this.targets.get(source);
		return (known != null) ? known : this.targets.computeIfAbsent(source, this::create);
	}

	private Database create(DataSource source) {
		return new Database(source, this.dataSource, this.settings, this.renewals.beside(source));
	}

	/**
	 * All known databases. One that is not in a list of targets is known once a thread
	 * was routed there.
	 */
	private List<Database> all() {
		if (this.router == null) {
			return List.of(current());
		}
		Set<DataSource> sources = listed(this.router);
		sources.addAll(this.targets.keySet());
		return sources.stream().map(this::at).toList();
	}

	/**
	 * Visits one database after the other. One that can be reached in several ways is
	 * visited once. A read-only one is skipped, because it is a replica of another. An
	 * unreachable one does not prevent visits to the others.
	 * @return the first failure, if any
	 */
	@Nullable DataAccessException visit(String task, Visit visit) {
		List<Database> all = all();
		Set<String> visited = new HashSet<>();
		DataAccessException failure = null;
		for (Database database : all) {
			try {
				if (!database.onOwnConnection(task,
						(connection, tables) -> (all.size() == 1) ? visit.at(database, connection, tables)
								: visitOnce(visited, visit, database, connection, tables))) {
					break;
				}
			}
			catch (DataAccessException ex) {
				logger.debug("Failed to {} in one of {} databases", task, all.size(), ex);
				failure = (failure != null) ? failure : ex;
				forgetUnlessListed(database);
			}
		}
		return failure;
	}

	private static boolean visitOnce(Set<String> visited, Visit visit, Database database, Connection connection,
			Tables tables) throws SQLException {
		String name = "%s %s %s".formatted(connection.getMetaData().getURL(), connection.getCatalog(),
				connection.getSchema());
		if (visited.contains(name) || !tables.dialect().isWritable(connection)) {
			return true;
		}
		boolean goOn = visit.at(database, connection, tables);
		// Only now: a visit that meets a concurrent transaction is tried again
		visited.add(name);
		return goOn;
	}

	/**
	 * Forgets an unreachable database unless it is listed, so that a deleted tenant is
	 * not contacted forever.
	 */
	private void forgetUnlessListed(Database database) {
		if (this.router == null) {
			return;
		}
		Set<DataSource> listed = listed(this.router);
		this.targets.entrySet().removeIf((each) -> {
			boolean gone = each.getValue().equals(database) && !listed.contains(each.getKey());
			if (gone) {
				database.close();
			}
			return gone;
		});
	}

	@Override
	public void close() {
		if (this.only != null) {
			this.only.close();
		}
		this.targets.values().forEach(Database::close);
	}

	/**
	 * A visit to a database.
	 */
	@FunctionalInterface
	interface Visit {

		/**
		 * Visits a database.
		 * @return whether to continue with the next one
		 */
		boolean at(Database database, Connection connection, Tables tables) throws SQLException;

	}

}
