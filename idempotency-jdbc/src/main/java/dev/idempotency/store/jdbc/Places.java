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
 * The databases in which records are kept: one, or those that a data source leads to.
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
		// What is to be said about them is said at start-up
		all();
	}

	/**
	 * A proxy that knows of the caller's transaction would have us take part in it.
	 */
	private static DataSource withoutTransactions(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : dataSource;
	}

	/**
	 * Whose connections transactions use.
	 */
	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Whether there may be several.
	 */
	boolean areSeveral() {
		return this.routing != null;
	}

	/**
	 * That of the calling thread.
	 */
	Place current() {
		if (this.routing == null) {
			return Objects.requireNonNull(this.only);
		}
		Place place = this.chosen.get();
		return (place != null) ? place : at(this.routing.target());
	}

	/**
	 * That of a claim, whatever thread this is.
	 */
	Place of(Claim claim) {
		return (claim.place() instanceof Place place) ? place : current();
	}

	/**
	 * Each of them. Those that no list names are known once a thread was led there.
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
	 * Forgets a place that cannot be reached, unless it is in the list: a tenant that is
	 * no more is not to be asked for ever.
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
