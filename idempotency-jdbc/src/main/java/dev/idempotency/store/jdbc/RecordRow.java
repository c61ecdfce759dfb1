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
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was when it was read.
 *
 * @param isOver whether it has expired. The database compares, because reading a time is
 * expensive
 * @param times {@code null} if a completed row was read without them
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared
record RecordRow(long owner, int attempt, boolean isCompleted, boolean isOver, Fingerprint fingerprint, long replays,
		byte @Nullable [] result, @Nullable String trace, @Nullable Times times) {

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
		return read(connection, statements, id, OnReplay.READ);
	}

	/**
	 * Reads the record of a key, with what a replay needs.
	 * @return {@code null} if there is none
	 */
	static @Nullable RecordRow read(Connection connection, Statements statements, byte[] id, OnReplay onReplay)
			throws SQLException {
		try (PreparedStatement select = connection.prepareStatement(statements.select)) {
			select.setBytes(1, id);
			try (ResultSet rows = select.executeQuery()) {
				return next(rows, statements.dialect(), onReplay);
			}
		}
	}

	/**
	 * Reads the next row.
	 * @return {@code null} if there is none
	 */
	static @Nullable RecordRow next(ResultSet rows, Dialect dialect, OnReplay onReplay) throws SQLException {
		if (!rows.next()) {
			return null;
		}
		boolean isCompleted = isCompleted(rows.getInt(3));
		Times times = (isCompleted && onReplay != OnReplay.EXTEND) ? null : new Times(time(rows, 8, dialect),
				time(rows, 9, dialect), time(rows, 10, dialect), time(rows, 11, dialect));
		return new RecordRow(rows.getLong(1), rows.getInt(2), isCompleted, rows.getInt(12) != 0, fingerprint(rows, 4),
				rows.getLong(5), isCompleted ? rows.getBytes(6) : null, rows.getString(7), times);
	}

	boolean isOwnedBy(long owner) {
		return this.owner == owner;
	}

	/**
	 * Whether the record has expired or may be taken over.
	 */
	boolean mayBeClaimed(Fingerprint fingerprint, ClaimTerms terms) {
		return this.isOver || mayBeTakenOver(fingerprint, terms);
	}

	private boolean mayBeTakenOver(Fingerprint fingerprint, ClaimTerms terms) {
		return this.times != null && !this.isCompleted && this.times.hasEnded() && terms.onCrash() == OnCrash.RETRY
				&& this.fingerprint.equals(fingerprint);
	}

	boolean isReplayedTo(Fingerprint fingerprint) {
		return this.isCompleted && this.fingerprint.equals(fingerprint);
	}

	/**
	 * Whether a record that was read to be extended lives at least that long anyway.
	 */
	boolean outlives(Duration ttl) {
		return this.times != null && !this.times.expiresAt().isBefore(this.times.now().plus(ttl));
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
		if (this.isCompleted || this.times == null) {
			return new IdempotencyRecord.Completed(this.fingerprint, this.attempt, result(this.result), replays,
					this.trace);
		}
		return new IdempotencyRecord.InProgress(this.fingerprint, this.attempt,
				Duration.between(this.times.createdAt(), this.times.now()),
				Duration.between(this.times.now(), this.times.endsAt()), this.trace);
	}

	/**
	 * The times of a record, and the database's time when they were read.
	 *
	 * @param endsAt when its lease ends
	 */
	record Times(Instant createdAt, Instant endsAt, Instant expiresAt, Instant now) {

		boolean hasEnded() {
			return !this.endsAt.isAfter(this.now);
		}

	}

}
