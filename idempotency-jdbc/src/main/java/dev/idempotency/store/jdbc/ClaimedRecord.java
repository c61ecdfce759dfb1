package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.StoredResult;

/**
 * A record under a claim, on one connection. Every write names the owner.
 */
final class ClaimedRecord {

	private final Connection connection;

	private final Tables tables;

	private final Claim claim;

	private final OwnedRecord record;

	ClaimedRecord(Connection connection, Tables tables, Claim claim) {
		this.connection = connection;
		this.tables = tables;
		this.claim = claim;
		this.record = OwnedRecord.of(claim);
	}

	/**
	 * Completes the record and keeps it for at least the given time.
	 */
	boolean complete(StoredResult result, Duration atLeast) throws SQLException {
		requireRoom(result);
		try (PreparedStatement update = this.connection.prepareStatement(this.tables.statements().complete)) {
			long millis = atLeast.toMillis();
			update.setLong(1, millis);
			update.setLong(2, millis);
			update.setBytes(3, result.toFrame());
			update.setBytes(4, this.record.id());
			update.setLong(5, this.record.owner());
			boolean completed = update.executeUpdate() == 1 || isCompletedWith(result);
			if (completed) {
				this.tables.recent().add(this.record.id());
			}
			return completed;
		}
	}

	/**
	 * Whether the same was done before, and its reply was lost.
	 */
	private boolean isCompletedWith(StoredResult result) throws SQLException {
		RecordRow row = RecordRow.read(this.connection, this.tables.statements(), this.record.id());
		return row != null && !row.isOver() && row.isOwnedBy(this.record.owner())
				&& row.toRecord() instanceof IdempotencyRecord.Completed there && there.result().equals(result);
	}

	/**
	 * Completes the record in the outcome table, for a transaction that may not see the
	 * record.
	 */
	boolean completeBeside(StoredResult result, Duration atLeast) throws SQLException {
		requireRoom(result);
		return this.tables.outcomes().insert(this.connection, this.record, result.toFrame(), atLeast);
	}

	/**
	 * Lets a takeover wait for the end of the transaction. Fails if there was one.
	 */
	boolean hold() throws SQLException {
		return this.tables.outcomes().hold(this.connection, this.record);
	}

	private void requireRoom(StoredResult result) {
		if (result.size() > this.tables.largestResult()) {
			throw new ResultTooLargeException(
					"The result has %d bytes, more than the %d that the database accepts (max_allowed_packet)"
						.formatted(result.size(), this.tables.largestResult()));
		}
	}

	/**
	 * Releases the key unless a transaction has completed it. The fence and the release
	 * wait for a commit that is still under way on a broken connection.
	 */
	boolean releaseIfNotCompleted() throws SQLException {
		RecordRow row = RecordRow.read(this.connection, this.tables.statements(), this.record.id());
		boolean isHeld = row != null && !row.isCompleted() && row.isOwnedBy(this.record.owner());
		return isHeld && !this.tables.outcomes().fold(this.connection, this.record.id())
				&& this.tables.outcomes().fence(this.connection, this.record) && release();
	}

	boolean unfence() throws SQLException {
		return this.tables.outcomes().unfence(this.connection, this.record.owner());
	}

	boolean release() throws SQLException {
		return (this.claim.attempt() == 1) ? forget() : endLease(OwnedRecord.NOBODY);
	}

	/**
	 * Its transaction, if it had one, has ended. The fence of an owner that has lost its
	 * claim is not its own.
	 */
	boolean abandon() throws SQLException {
		boolean held = endLease(OwnedRecord.REPORTED);
		if (held) {
			unfence();
		}
		return held;
	}

	private boolean endLease(long next) throws SQLException {
		return Sql.update(this.connection, this.tables.statements().abandon, next, this.record.id(),
				this.record.owner()) == 1;
	}

	boolean forget() throws SQLException {
		return Sql.update(this.connection, this.tables.statements().release, this.record.id(),
				this.record.owner()) == 1;
	}

	/**
	 * Renews the leases of several claims. An owner belongs to one claim, so that the
	 * update changes only records of claims. What is lost is found by both, the id and
	 * the owner.
	 * @return the claims that are lost
	 */
	static Set<Claim> renew(Connection connection, Statements statements, List<Claim> claims, Duration lease)
			throws SQLException {
		// Few lengths, so that the database knows most of the statements
		int size = (claims.size() > 1) ? 2 * Integer.highestOneBit(claims.size() - 1) : 1;
		Object[] records = new Object[2 * size];
		for (int i = 0; i < size; i++) {
			OwnedRecord record = OwnedRecord.of(claims.get(Math.min(i, claims.size() - 1)));
			records[i] = record.id();
			records[size + i] = record.owner();
		}
		List<Object> parameters = new ArrayList<>(Collections.nCopies(3, lease.toMillis()));
		Collections.addAll(parameters, records);
		if (Sql.update(connection, statements.renew(size), parameters.toArray()) == claims.size()) {
			return Set.of();
		}
		Set<List<Object>> held = new HashSet<>(Sql.list(connection, statements.held(size),
				(row) -> List.of(row.getLong(1), ByteBuffer.wrap(row.getBytes(2))), records));
		return claims.stream()
			.filter((claim) -> !held
				.contains(List.of(OwnedRecord.number(claim.owner()), ByteBuffer.wrap(claim.key().digest()))))
			.collect(Collectors.toSet());
	}

}
