package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * Finds and counts rows, without their results.
 */
final class TableSearch {

	/**
	 * Leaves out a record that counts as completed, although it is in progress still.
	 */
	private static final String LIVE = "namespace = ? and expires_at > {moment} and (" + Statements.COMPLETED
			+ " or not exists (select 1 from {outcomes} o where o.owner = r.owner and o.result is not null))";

	private static final String RUNNING = Statements.IN_PROGRESS + " and ends_at > {moment}";

	private static final String ABANDONED = Statements.IN_PROGRESS + " and ends_at <= {moment} and owner <> "
			+ OwnedRecord.REPORTED;

	private static final String REPORTED = Statements.IN_PROGRESS + " and ends_at <= {moment} and owner = "
			+ OwnedRecord.REPORTED;

	/**
	 * How much of a table is counted, in PostgreSQL's blocks: 100 MB.
	 */
	static final long MOST_COUNTED_BLOCKS = 12_500;

	/**
	 * How much of a table is searched: 512 MB, more than a million small records.
	 */
	static final long MOST_SEARCHED_BLOCKS = 65_536;

	private static final String LONGEST_LIVED = "(select * from {table} order by expires_at desc limit 100000) as r";

	private static final String COLUMNS = "id, namespace, operation, principal, tenant, idempotency_key, state, attempt, "
			+ "{time:created_at}, {time:ends_at}, {time:expires_at}, replays, trace, {time:{moment}}, owner, ";

	private final Connection connection;

	private final Statements statements;

	private final OutcomeTable outcomes;

	TableSearch(Connection connection, Tables tables) {
		this.connection = connection;
		this.statements = tables.statements();
		this.outcomes = tables.outcomes();
	}

	/**
	 * Finds the newest rows among all rows. In a table that is too large, it searches
	 * only the rows that expire last, which are the newest ones if all have the same ttl.
	 * @param mostBlocks how much of a table is searched
	 */
	Found search(RecordFilter filter, int offset, int limit, long mostBlocks) throws SQLException {
		boolean foldedAll = this.outcomes.foldOthers(this.connection);
		boolean looksAtAll = !filter.idStart().isEmpty() || blocks() <= mostBlocks;
		Query query = new Query("select " + COLUMNS + this.statements.dialect().length("result") + " from "
				+ (looksAtAll ? "{table} r" : LONGEST_LIVED) + " where " + LIVE, filter.namespace());
		query.beginsWith(filter.idStart());
		if (filter.idPrefix() != null && !filter.idStart().startsWith(filter.idPrefix())) {
			query.beginsWith(filter.idPrefix());
		}
		query.and("idempotency_key = ?", filter.key());
		query.and("operation = ?", filter.operation());
		if (filter.state() != null) {
			query.text.append(" and ").append(switch (filter.state()) {
				case IN_PROGRESS -> RUNNING;
				case ABANDONED -> ABANDONED;
				case REPORTED_UNKNOWN -> REPORTED;
				case COMPLETED -> Statements.COMPLETED;
			});
		}
		query.and("created_at <= {moment+}", ago(filter.minAge()));
		query.and("created_at >= {moment+}", ago(filter.maxAge()));
		query.text.append(" order by created_at desc, id ").append(this.statements.dialect().page(offset, limit));
		return new Found(list(query, (row) -> summary(row, row.getLong(16))), looksAtAll && foldedAll);
	}

	private static @Nullable Long ago(@Nullable Duration age) {
		return (age != null) ? -age.toMillis() : null;
	}

	/**
	 * Counts all rows, or a sample of the blocks if the table is too large.
	 */
	Counts count(String namespace, long mostBlocks) throws SQLException {
		boolean foldedAll = this.outcomes.foldOthers(this.connection);
		RecordTally tally = new RecordTally();
		long blocks = blocks();
		if (blocks <= mostBlocks) {
			count(tally, namespace, "");
			return new Counts(tally.counts().counts(), foldedAll);
		}
		RecordTally sample = new RecordTally();
		count(sample, namespace, " tablesample system (%s)".formatted(100.0 * mostBlocks / blocks));
		tally.addSample(sample, (double) blocks / mostBlocks);
		return tally.counts();
	}

	/**
	 * The size of the table; zero where it is unknown.
	 */
	private long blocks() throws SQLException {
		if (this.statements.dialect() != Dialect.POSTGRESQL) {
			return 0;
		}
		return Sql
			.list(this.connection,
					"select pg_relation_size(cast(? as regclass)) / cast(current_setting('block_size') as bigint)",
					(row) -> row.getLong(1), this.statements.table())
			.get(0);
	}

	private void count(RecordTally tally, String namespace, String sampling) throws SQLException {
		// One row for each operation: planners can estimate the number of operations, but
		// not the number of values of an expression
		Query query = new Query(
				"select operation, " + number(RUNNING) + ", " + number(ABANDONED) + ", " + number(REPORTED) + ", "
						+ number(Statements.COMPLETED) + " from {table} r" + sampling + " where " + LIVE
						+ " group by operation order by count(*) desc "
						+ this.statements.dialect().page(0, SearchableStore.MAX_OPERATIONS),
				RecordFilter.all(namespace).namespace());
		list(query, (row) -> {
			String operation = row.getString(1);
			tally.add(operation, RecordState.IN_PROGRESS, row.getLong(2));
			tally.add(operation, RecordState.ABANDONED, row.getLong(3));
			tally.add(operation, RecordState.REPORTED_UNKNOWN, row.getLong(4));
			tally.add(operation, RecordState.COMPLETED, row.getLong(5));
			return operation;
		});
	}

	private static String number(String condition) {
		return "sum(case when %s then 1 else 0 end)".formatted(condition);
	}

	Optional<Inspection> find(RecordId id) throws SQLException {
		Optional<Inspection> found = findRecord(id);
		boolean isCompleted = found.filter((it) -> it.status().state() == RecordState.COMPLETED).isPresent();
		return (!isCompleted && this.outcomes.fold(this.connection, id.digest())) ? findRecord(id) : found;
	}

	private Optional<Inspection> findRecord(RecordId id) throws SQLException {
		// Not {moment}, for which a database may search the index on the expiry instead
		String query = this.statements
			.in("select " + COLUMNS + "result, fingerprint from {table} where id = ? and expires_at > {now}");
		return Sql.list(this.connection, query, this::inspect, id.digest()).stream().findFirst();
	}

	private <T> List<T> list(Query query, Sql.Reader<T> reader) throws SQLException {
		String text = this.statements.limited(query.text.toString());
		return Sql.bounded(this.connection, this.statements,
				() -> Sql.list(this.connection, text, reader, query.parameters.toArray()));
	}

	private Inspection inspect(ResultSet row) throws SQLException {
		byte[] frame = RecordRow.isCompleted(row.getInt(7)) ? row.getBytes(16) : null;
		StoredResult result = (frame != null) ? StoredResult.fromFrame(frame) : null;
		return new Inspection(summary(row, (result != null) ? result.size() : 0), RecordRow.fingerprint(row, 17),
				result);
	}

	/**
	 * A summary for operators.
	 */
	private RecordSummary summary(ResultSet row, long size) throws SQLException {
		Dialect dialect = this.statements.dialect();
		KeyDescription key = new KeyDescription(row.getString(2), row.getString(3), row.getString(4), row.getString(5),
				row.getString(6));
		Instant now = RecordRow.time(row, 14, dialect);
		Instant end = RecordRow.time(row, 10, dialect);
		boolean running = !RecordRow.isCompleted(row.getInt(7));
		RecordState state = !running ? RecordState.COMPLETED : end.isAfter(now) ? RecordState.IN_PROGRESS
				: (row.getLong(15) == OwnedRecord.REPORTED) ? RecordState.REPORTED_UNKNOWN : RecordState.ABANDONED;
		KeyStatus status = new KeyStatus(state, row.getInt(8), RecordRow.time(row, 9, dialect), running ? null : end,
				RecordRow.time(row, 11, dialect));
		return new RecordSummary(RecordId.ofDigest(row.getBytes(1)), key, status,
				running ? Duration.between(now, end) : Duration.ZERO, row.getLong(12), size, row.getString(13));
	}

	/**
	 * A statement and its parameters.
	 */
	private static final class Query {

		private final StringBuilder text;

		private final List<Object> parameters = new ArrayList<>();

		private Query(String text, String namespace) {
			this.text = new StringBuilder(text);
			this.parameters.add(namespace);
		}

		/**
		 * Adds a condition; {@code null} adds none.
		 */
		private void and(String condition, @Nullable Object parameter) {
			if (parameter != null) {
				this.text.append(" and ").append(condition);
				this.parameters.add(parameter);
			}
		}

		/**
		 * Adds a range, for which the database can use the primary key.
		 */
		private void beginsWith(String digits) {
			if (!digits.isEmpty()) {
				String others = "0".repeat(RecordId.LENGTH - digits.length());
				and("id >= ?", HexFormat.of().parseHex(digits + others));
				and("id <= ?", HexFormat.of().parseHex(digits + others.replace('0', 'f')));
			}
		}

	}

}
