package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The table of outcomes: results of transactions that completed a key.
 * <p>
 * An outcome is inserted, which does not depend on what the transaction sees, and does
 * not block renewals of the lease in the record. Once the outcome is committed, the
 * record of its owner counts as completed. The next statement that meets such a record
 * folds the outcome into it, and from then on the record alone counts. Claims fold what
 * this process has committed, many outcomes at a time.
 * <p>
 * A takeover fences off the earlier owner first, by an outcome without a result. There
 * can be only one outcome for each owner. Either the owner is in time, and the takeover
 * finds a result; or the owner is too late, and must not commit. While the owner's
 * transaction is open, the takeover waits for its end.
 */
final class OutcomeTable {

	private static final Logger logger = LoggerFactory.getLogger(OutcomeTable.class);

	/**
	 * How long a late transaction is kept from committing.
	 */
	private static final Duration LATEST = Duration.ofDays(7);

	private static final int BATCH = 1000;

	/**
	 * How many outcomes of this process wait until a claim folds them.
	 */
	static final int MANY = 100;

	private final Statements statements;

	private final BlockingQueue<OwnedRecord> committed = new ArrayBlockingQueue<>(10 * MANY);

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

	OutcomeTable(Statements statements) {
		this.statements = statements;
		this.dialect = statements.dialect();
		String values = "{outcomes} (owner, id, completed_at, expires_at, result) values (?, ?, {now}, {later}, ?)";
		String page = this.dialect.page(0, BATCH);
		this.columns = statements
			.in("select owner, id, {time:completed_at}, {time:expires_at}, result from {outcomes} where owner = ?");
		// PostgreSQL must report a duplicate: "on conflict" on a snapshot would make it a
		// serialization failure
		this.insert = statements
			.in((this.dialect == Dialect.POSTGRESQL) ? ("insert into " + values) : this.dialect.insertIfAbsent(values));
		this.fence = statements.in(this.dialect.insertIfAbsent(values));
		this.hasResult = statements
			.in("select case when result is null then 0 else 1 end from {outcomes} where owner = ?");
		// Not a join, which a database may begin with the outcomes
		this.ofRecord = statements.in("select owner, id from {outcomes} where result is not null and owner = "
				+ "(select owner from {table} where id = ? and " + Statements.IN_PROGRESS + ")");
		// In the same order everywhere, so that two that fold them do not wait for each
		// other
		this.withResult = statements
			.limited("select owner, id from {outcomes} where result is not null order by owner " + page);
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
			.limited("select owner, id from {outcomes} where result is null and expires_at <= {moment} " + page);
	}

	/**
	 * Reads all columns of no row. Fails if the table is missing or lacks a column.
	 */
	boolean read(Connection connection) throws SQLException {
		return !Sql.list(connection, this.columns, (row) -> row.getLong(1), OwnedRecord.NOBODY).isEmpty();
	}

	/**
	 * Inserts the outcome of an owner and keeps the record for at least the given time.
	 * @return {@code false} if the owner has been fenced off
	 */
	boolean insert(Connection connection, OwnedRecord outcome, byte[] result, Duration atLeast) throws SQLException {
		boolean inserted = insert(connection, this.insert, outcome, result, atLeast, this.dialect::isUnseenDuplicate);
		if (inserted && TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					// Folded later: this thread still has a connection, and must not wait
					// for another
					OutcomeTable.this.committed.offer(outcome);
				}

			});
		}
		return inserted;
	}

	/**
	 * Inserts the fence of an owner that is about to finish, by the owner itself.
	 * @return {@code false} if the owner has been fenced off
	 */
	boolean hold(Connection connection, OwnedRecord owned) throws SQLException {
		return insert(connection, this.insert, owned, null, LATEST, this.dialect::isUnseenDuplicate);
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
	 * Makes sure that an owner can no longer complete its key.
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
	 * Removes the fence of an owner that has finished.
	 */
	boolean unfence(Connection connection, long owner) throws SQLException {
		return Sql.update(connection, this.unfence, owner) == 1;
	}

	/**
	 * Folds the outcome of its owner into a record in progress.
	 * @return {@code false} if there is none
	 */
	boolean fold(Connection connection, byte[] id) throws SQLException {
		List<OwnedRecord> found = OwnedRecord.find(connection, this.ofRecord, id);
		fold(connection, found);
		return !found.isEmpty();
	}

	/**
	 * Folds the outcomes of this process once there are many, so that they do not pile
	 * up. What fails here, or belongs to a process that crashed, waits for a purge.
	 */
	void foldCommitted(Connection connection) {
		if (this.committed.size() < MANY) {
			return;
		}
		List<OwnedRecord> outcomes = new ArrayList<>();
		this.committed.drainTo(outcomes);
		outcomes.sort(Comparator.comparing(OwnedRecord::owner));
		try {
			fold(connection, outcomes);
		}
		catch (SQLException ex) {
			logger.debug("The outcomes of transactions were not put into their records", ex);
		}
	}

	/**
	 * Folds outcomes that nobody has folded.
	 * @return {@code false} if there are more
	 */
	boolean foldOthers(Connection connection) throws SQLException {
		List<OwnedRecord> found = Sql.bounded(connection, this.statements,
				() -> OwnedRecord.find(connection, this.withResult));
		fold(connection, found);
		return found.size() < BATCH;
	}

	/**
	 * Updates the record first, then removes the outcome. A crash in between leaves an
	 * outcome whose record is completed, and the next fold removes it.
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
	 * Folds all outcomes, and removes expired fences.
	 */
	void purge(Connection connection) throws SQLException {
		boolean done = false;
		while (!done) {
			done = foldOthers(connection);
		}
		// Selects them first, so as not to wait for uncommitted outcomes
		for (OwnedRecord fence : Sql.bounded(connection, this.statements,
				() -> OwnedRecord.find(connection, this.fencesOver))) {
			unfence(connection, fence.owner());
		}
	}

}
