package dev.idempotency.store.jdbc;

import java.util.ArrayList;
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

import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The databases that hold records: one, or all to which a data source routes.
 */
final class Places implements AutoCloseable {

	private final DataSource dataSource;

	private final JdbcSettings settings;

	private final RenewalDataSources renewals;

	private final @Nullable Routing routing;

	private final @Nullable Place only;

	private final Map<DataSource, Place> places = new ConcurrentHashMap<>();

	@SuppressWarnings("ThreadLocalUsage") // A place is that of one store
	private final ThreadLocal<@Nullable Place> chosen = new ThreadLocal<>();

	Places(DataSource dataSource, JdbcSettings settings, RenewalDataSources renewals) {
		this.dataSource = withoutTransactions(dataSource);
		this.settings = settings;
		this.renewals = renewals;
		this.routing = Routing.in(this.dataSource);
		this.only = (this.routing == null) ? create(this.dataSource) : null;
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
	 * The data source of transactions.
	 */
	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Whether there may be several places.
	 */
	boolean areSeveral() {
		return this.routing != null;
	}

	/**
	 * The place of the calling thread.
	 */
	Place current() {
		if (this.routing == null) {
			return Objects.requireNonNull(this.only);
		}
		Place place = this.chosen.get();
		return (place != null) ? place : at(this.routing.target());
	}

	/**
	 * The place of a claim, on any thread.
	 */
	Place of(Claim claim) {
		return (claim.place() instanceof Place place) ? place : current();
	}

	/**
	 * All known places. A place that is not in a list of targets is known once a thread
	 * was routed there.
	 */
	List<Place> all() {
		if (this.routing == null) {
			return List.of(current());
		}
		Set<DataSource> sources = new LinkedHashSet<>(this.routing.targets());
		sources.addAll(this.places.keySet());
		List<Place> all = new ArrayList<>();
		sources.forEach((source) -> all.add(at(source)));
		return all;
	}

	private Place at(DataSource source) {
		Place known = this.places.get(source);
		return (known != null) ? known : this.places.computeIfAbsent(source, this::create);
	}

	private Place create(DataSource source) {
		Database database = new Database(source, this.dataSource, this.settings);
		return new Place(database, new Renewals(database, this.renewals.beside(source)));
	}

	/**
	 * Forgets an unreachable place unless it is listed, so that a deleted tenant is not
	 * contacted forever.
	 */
	void forgetUnlessListed(Place place) {
		if (this.routing == null) {
			return;
		}
		Set<DataSource> listed = this.routing.targets();
		this.places.entrySet().removeIf((each) -> {
			boolean gone = each.getValue().equals(place) && !listed.contains(each.getKey());
			if (gone) {
				place.close();
			}
			return gone;
		});
	}

	<T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work) {
		if (!(place instanceof Place wanted)) {
			return work.get();
		}
		Place before = this.chosen.get();
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

	@Override
	public void close() {
		if (this.only != null) {
			this.only.close();
		}
		this.places.values().forEach(Place::close);
	}

}
