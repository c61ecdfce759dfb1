package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Searches, counts and purges the records of all places.
 * <p>
 * A database that can be reached in several ways is visited once. A read-only database is
 * skipped, because it is a replica of another. An unreachable database does not prevent
 * visits to the others: the result is marked as incomplete. The call fails only if there
 * is no result at all.
 */
final class Survey {

	private static final Logger logger = LoggerFactory.getLogger(Survey.class);

	private final Places places;

	Survey(Places places) {
		this.places = places;
	}

	void prepare(InitializeSchema when) {
		throwIfAny(visit("prepare the table", (place, connection, tables) -> {
			prepare(when, connection, tables);
			return true;
		}));
	}

	private void prepare(InitializeSchema when, Connection connection, Tables tables) throws SQLException {
		try {
			new TableSchema(connection, tables).prepare(when);
		}
		catch (IdempotencyConfigurationException ex) {
			throw this.places.areSeveral()
					? new IdempotencyConfigurationException(
							"In the database %s: %s".formatted(connection.getCatalog(), ex.problem()), ex.remedy())
					: ex;
		}
	}

	boolean areEmbedded() {
		boolean[] embedded = { true };
		DataAccessException failure = visit("inspect the database", (place, connection, tables) -> {
			embedded[0] &= tables.dialect().isEmbedded(connection.getMetaData().getURL());
			return embedded[0];
		});
		return embedded[0] && failure == null;
	}

	int purge(int limit) {
		int[] purged = { 0 };
		DataAccessException failure = visit("purge expired records", (place, connection, tables) -> {
			purged[0] += new BatchPurge(connection, tables).purge(limit - purged[0]);
			return purged[0] < limit;
		});
		if (purged[0] < limit) {
			throwIfAny(failure);
		}
		return purged[0];
	}

	Found search(RecordFilter filter, int offset, int limit) {
		SearchableStore.requireReachable(offset, limit);
		if (!this.places.areSeveral()) {
			return this.places.current()
				.database()
				.onOwnConnection("search for records", (connection, tables) -> new TableSearch(connection, tables)
					.search(filter, offset, limit, TableSearch.MOST_SEARCHED_BLOCKS));
		}
		NewestRecords newest = new NewestRecords(offset, limit);
		List<Found> parts = new ArrayList<>();
		DataAccessException failure = visit("search for records", (place, connection, tables) -> {
			Found found = new TableSearch(connection, tables).search(filter, 0, newest.reach(),
					TableSearch.MOST_SEARCHED_BLOCKS);
			found.records().forEach(newest::add);
			return parts.add(new Found(List.of(), found.complete()));
		});
		if (parts.isEmpty()) {
			throwIfAny(failure);
		}
		return new Found(newest.page(), failure == null && parts.stream().allMatch(Found::complete));
	}

	Counts count(String namespace) {
		RecordTally tally = new RecordTally();
		List<Counts> parts = new ArrayList<>();
		DataAccessException failure = visit("count records", (place, connection, tables) -> parts
			.add(new TableSearch(connection, tables).count(namespace, TableSearch.MOST_COUNTED_BLOCKS)));
		if (parts.isEmpty()) {
			throwIfAny(failure);
		}
		parts.forEach((part) -> part.counts()
			.forEach((count) -> tally.add(count.operation(), count.state(), count.number())));
		return new Counts(tally.counts().counts(), failure == null && parts.stream().allMatch(Counts::exact));
	}

	Optional<Inspection> find(RecordId id) {
		return Optional.ofNullable(locate(id)).map(Located::record);
	}

	@Nullable Place placeOf(RecordId id) {
		Located located = locate(id);
		return (located != null) ? located.place() : null;
	}

	private @Nullable Located locate(RecordId id) {
		Located[] located = new Located[1];
		DataAccessException failure = visit("find a record", (place, connection, tables) -> {
			new TableSearch(connection, tables).find(id).ifPresent((record) -> located[0] = new Located(place, record));
			return located[0] == null;
		});
		if (located[0] == null) {
			throwIfAny(failure);
		}
		return located[0];
	}

	/**
	 * Visits one database after the other.
	 * @return the first failure, if any
	 */
	private @Nullable DataAccessException visit(String task, Visit visit) {
		List<Place> all = this.places.all();
		Visit each = (all.size() > 1) ? new OnceEach(visit) : visit;
		DataAccessException failure = null;
		for (Place place : all) {
			try {
				if (!place.database()
					.onOwnConnection(task, (connection, tables) -> each.at(place, connection, tables))) {
					break;
				}
			}
			catch (DataAccessException ex) {
				logger.debug("Failed to {} in one of {} databases", task, all.size(), ex);
				failure = (failure != null) ? failure : ex;
				this.places.forgetUnlessListed(place);
			}
		}
		return failure;
	}

	private static void throwIfAny(@Nullable DataAccessException failure) {
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * A visit to a database.
	 */
	@FunctionalInterface
	private interface Visit {

		/**
		 * Visits a database.
		 * @return whether to continue with the next one
		 */
		boolean at(Place place, Connection connection, Tables tables) throws SQLException;

	}

	/**
	 * Skips databases that were visited before or are read-only.
	 */
	private static final class OnceEach implements Visit {

		private final Visit visit;

		private final Set<String> visited = new HashSet<>();

		private OnceEach(Visit visit) {
			this.visit = visit;
		}

		@Override
		public boolean at(Place place, Connection connection, Tables tables) throws SQLException {
			String name = "%s %s %s".formatted(connection.getMetaData().getURL(), connection.getCatalog(),
					connection.getSchema());
			if (this.visited.contains(name) || !tables.dialect().isWritable(connection)) {
				return true;
			}
			boolean goOn = this.visit.at(place, connection, tables);
			// Only now: a visit that meets a concurrent transaction is tried again
			this.visited.add(name);
			return goOn;
		}

	}

	/**
	 * A record and its place.
	 */
	private record Located(Place place, Inspection record) {
	}

}
