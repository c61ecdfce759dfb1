package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import dev.idempotency.Fingerprint;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was when it was read, with the database's time of that moment.
 *
 * @param progress what only a record in progress has, since reading a time is expensive;
 * {@code null} if it is completed
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared
record RecordRow(long owner, int attempt, @Nullable Progress progress, Fingerprint fingerprint, Instant expiresAt,
		long replays, byte @Nullable [] result, @Nullable String trace, Instant now) {

	static boolean isCompleted(int state) {
		return state > 0;
	}

	static Fingerprint fingerprint(ResultSet row, int column) throws SQLException {
		byte[] fingerprint = row.getBytes(column);
		// Some databases do not tell an empty value from none
		return Fingerprint.ofBytes((fingerprint != null) ? fingerprint : new byte[0]);
	}

	static Instant time(ResultSet row, int column, Dialect dialect) throws SQLException {
		Instant time = dialect.readTime(row, column);
		if (time == null) {
			throw new SQLException("A record has no time in column %d".formatted(column));
		}
		return time;
	}

	/**
	 * Reads the record of a key.
	 * @return {@code null} if there is none
	 */
	static @Nullable RecordRow read(Connection connection, Statements statements, byte[] id) throws SQLException {
		try (PreparedStatement select = connection.prepareStatement(statements.select)) {
			select.setBytes(1, id);
			try (ResultSet rows = select.executeQuery()) {
				return next(rows, statements.dialect());
			}
		}
	}

	/**
	 * Reads the next row.
	 * @return {@code null} if there is none
	 */
	static @Nullable RecordRow next(ResultSet rows, Dialect dialect) throws SQLException {
		if (!rows.next()) {
			return null;
		}
		boolean isCompleted = isCompleted(rows.getInt(3));
		Progress progress = isCompleted ? null : new Progress(time(rows, 5, dialect), time(rows, 6, dialect));
		return new RecordRow(rows.getLong(1), rows.getInt(2), progress, fingerprint(rows, 4), time(rows, 7, dialect),
				rows.getLong(8), isCompleted ? rows.getBytes(9) : null, rows.getString(10), time(rows, 11, dialect));
	}

	boolean isCompleted() {
		return this.progress == null;
	}

	boolean isOwnedBy(long owner) {
		return this.owner == owner;
	}

	/**
	 * Whether the record has expired.
	 */
	boolean isOver() {
		return !this.expiresAt.isAfter(this.now);
	}

	/**
	 * Whether it has expired or may be taken over.
	 */
	boolean mayBeClaimed(Fingerprint fingerprint, ClaimTerms terms) {
		return isOver() || mayBeTakenOver(fingerprint, terms);
	}

	private boolean mayBeTakenOver(Fingerprint fingerprint, ClaimTerms terms) {
		return this.progress != null && !this.progress.endsAt().isAfter(this.now) && terms.onCrash() == OnCrash.RETRY
				&& this.fingerprint.equals(fingerprint);
	}

	boolean isReplayedTo(Fingerprint fingerprint) {
		return isCompleted() && this.fingerprint.equals(fingerprint);
	}

	/**
	 * Whether the record lives at least that long anyway.
	 */
	boolean outlives(Duration ttl) {
		return !this.expiresAt.isBefore(this.now.plus(ttl));
	}

	/**
	 * The result of a completed row. A row without one is damaged.
	 */
	static StoredResult result(byte @Nullable [] frame) {
		return StoredResult.fromFrame((frame != null) ? frame : new byte[0]);
	}

	IdempotencyRecord toRecord() {
		return toRecord(this.replays);
	}

	IdempotencyRecord toRecord(long replays) {
		if (this.progress == null) {
			return new IdempotencyRecord.Completed(this.fingerprint, this.attempt, result(this.result), replays,
					this.trace);
		}
		return new IdempotencyRecord.InProgress(this.fingerprint, this.attempt,
				Duration.between(this.progress.createdAt(), this.now),
				Duration.between(this.now, this.progress.endsAt()), this.trace);
	}

	/**
	 * When a record in progress was created, and when its lease ends.
	 */
	private record Progress(Instant createdAt, Instant endsAt) {
	}

}
