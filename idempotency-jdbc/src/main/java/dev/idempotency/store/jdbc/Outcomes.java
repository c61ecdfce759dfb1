package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What was completed inside a transaction, in a table beside that of the records.
 * <p>
 * There it is inserted, which needs to see nothing: neither what is older than the
 * transaction matters, nor does anyone who renews the lease in the record meet it. Once
 * it is committed, the record of its owner counts as completed. Whoever meets such a
 * record folds the outcome into it, and from then on the record alone counts.
 * <p>
 * Whoever takes a key from an owner fences that owner off first, by an outcome that has
 * no result. There can be one for each owner only: either the owner is in time, and the
 * one who wanted its key finds a result; or it comes too late, and must not commit. While
 * the owner's transaction is open, the other one waits for its end.
 */
final class Outcomes {

	/**
	 * How long a transaction may come too late.
	 */
	private static final Duration LATEST = Duration.ofDays(7);

	private static final int BATCH = 1000;

	private static final int MOST_BATCHES = 100;

	private final Dialect dialect;

	private final String columns;

	private final String insert;

	private final String fence;

	private final String hasResult;

	private final String ofRecord;

	private final String withResult;

	private final String fold;

	private final String remove;

	private final String unfence;

	private final String fencesOver;

	Outcomes(Statements statements) {
		this.dialect = statements.dialect();
		String values = "{outcomes} (owner, id, completed_at, expires_at, result) values (?, ?, {now}, {later}, ?)";
		String page = this.dialect.page(0, BATCH);
		this.columns = statements
			.in("select owner, id, {time:completed_at}, {time:expires_at}, result from {outcomes} where owner = ?");
		// An error of its own in PostgreSQL, where a snapshot would make another one of
		// it
		this.insert = statements
			.in((this.dialect == Dialect.POSTGRESQL) ? ("insert into " + values) : this.dialect.insertIfAbsent(values));
		this.fence = statements.in(this.dialect.insertIfAbsent(values));
		this.hasResult = statements
			.in("select case when result is null then 0 else 1 end from {outcomes} where owner = ?");
		this.ofRecord = statements.in("select r.owner, r.id from {table} r join {outcomes} o on o.owner = r.owner "
				+ "where r.id = ? and r." + Statements.IN_PROGRESS + " and o.result is not null");
		this.withResult = statements.in("select owner, id from {outcomes} where result is not null " + page);
		String expiry = "(select o.expires_at from {outcomes} o where o.owner = ?)";
		this.fold = statements.in("update {table} set " + Statements.COMPLETED_BY_TRANSACTION + ", "
				+ "ends_at = (select o.completed_at from {outcomes} o where o.owner = ?), expires_at = case when expires_at < "
				+ expiry + " then " + expiry + " else expires_at end, "
				+ "result = (select o.result from {outcomes} o where o.owner = ?) where id = ? and owner = ? and "
				+ Statements.IN_PROGRESS
				+ " and exists (select 1 from {outcomes} o where o.owner = ? and o.result is not null)");
		this.remove = statements.in("delete from {outcomes} where owner = ? and result is not null and not exists "
				+ "(select 1 from {table} r where r.id = ? and r.owner = ? and r." + Statements.IN_PROGRESS + ")");
		this.unfence = statements.in("delete from {outcomes} where owner = ? and result is null");
		this.fencesOver = statements
			.in("select owner, id from {outcomes} where result is null and expires_at <= {now} " + page);
	}

	/**
	 * Fails if the table is not as it should be.
	 */
	void require(Connection connection) throws SQLException {
		Sql.list(connection, this.columns, (row) -> row.getLong(1), OwnedRecord.NOBODY);
	}

	/**
	 * Inserts the outcome of an owner, with which the record lives on for so long at
	 * least.
	 * @return {@code false} if the owner has been fenced off
	 */
	boolean insert(Connection connection, OwnedRecord outcome, byte[] result, Duration atLeast) throws SQLException {
		return insert(connection, this.insert, outcome, result, atLeast, this.dialect::isUnseenDuplicate);
	}

	private static boolean insert(Connection connection, String statement, OwnedRecord outcome,
			byte @Nullable [] result, Duration life, Predicate<SQLException> isThere) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(statement)) {
			insert.setLong(1, outcome.owner());
			insert.setBytes(2, outcome.id());
			insert.setLong(3, life.toMillis());
			insert.setBytes(4, result);
			return insert.executeUpdate() == 1;
		}
		catch (SQLException ex) {
			if (isThere.test(ex)) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * Makes sure that an owner completes nothing any more.
	 * @return {@code false} if it had completed its key, which its record now says
	 */
	boolean fence(Connection connection, OwnedRecord outcome) throws SQLException {
		if (outcome.isNobodys() || insert(connection, this.fence, outcome, null, LATEST, this.dialect::isDuplicate)) {
			return true;
		}
		if (Sql.list(connection, this.hasResult, (row) -> row.getInt(1), outcome.owner()).contains(0)) {
			return true;
		}
		fold(connection, List.of(outcome));
		return false;
	}

	/**
	 * Removes the fence of an owner that has come to its end.
	 */
	void unfence(Connection connection, long owner) throws SQLException {
		Sql.update(connection, this.unfence, owner);
	}

	/**
	 * Lets a record that is in progress take over the outcome of its owner.
	 * @return {@code false} if there is none
	 */
	boolean fold(Connection connection, byte[] id) throws SQLException {
		List<OwnedRecord> found = OwnedRecord.find(connection, this.ofRecord, id);
		fold(connection, found);
		return !found.isEmpty();
	}

	/**
	 * Lets all records take over the outcomes of their owners.
	 */
	void foldAll(Connection connection) throws SQLException {
		for (int batch = 0; batch < MOST_BATCHES; batch++) {
			List<OwnedRecord> found = OwnedRecord.find(connection, this.withResult);
			fold(connection, found);
			if (found.size() < BATCH) {
				return;
			}
		}
	}

	/**
	 * First the record, then the outcome. Whoever vanishes in between leaves an outcome
	 * whose record is completed, and the next one removes it.
	 */
	private void fold(Connection connection, List<OwnedRecord> outcomes) throws SQLException {
		if (outcomes.isEmpty()) {
			return;
		}
		try (PreparedStatement update = connection.prepareStatement(this.fold)) {
			for (OwnedRecord outcome : outcomes) {
				for (int parameter : new int[] { 1, 2, 3, 4, 6, 7 }) {
					update.setLong(parameter, outcome.owner());
				}
				update.setBytes(5, outcome.id());
				update.addBatch();
			}
			update.executeBatch();
		}
		try (PreparedStatement delete = connection.prepareStatement(this.remove)) {
			for (OwnedRecord outcome : outcomes) {
				delete.setLong(1, outcome.owner());
				delete.setBytes(2, outcome.id());
				delete.setLong(3, outcome.owner());
				delete.addBatch();
			}
			delete.executeBatch();
		}
	}

	/**
	 * Removes the fences of owners that will not come any more.
	 */
	void purge(Connection connection) throws SQLException {
		// Found first: what transactions have not committed yet must not be waited for
		for (OwnedRecord fence : OwnedRecord.find(connection, this.fencesOver)) {
			unfence(connection, fence.owner());
		}
	}

}
