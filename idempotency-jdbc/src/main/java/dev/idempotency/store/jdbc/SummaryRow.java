package dev.idempotency.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;

/**
 * Maps rows to summaries and inspections for operators.
 */
final class SummaryRow {

	/**
	 * The column of the result, or of an expression of it.
	 */
	static final int RESULT = 15;

	private static final int FINGERPRINT = 16;

	private SummaryRow() {
	}

	static RecordSummary summary(ResultSet row, Dialect dialect, long size) throws SQLException {
		KeyDescription key = new KeyDescription(row.getString(2), row.getString(3), row.getString(4), row.getString(5),
				row.getString(6));
		Instant now = RecordRow.time(row, 14, dialect);
		Instant end = RecordRow.time(row, 10, dialect);
		boolean running = !RecordRow.isCompleted(row.getInt(7));
		RecordState state = !running ? RecordState.COMPLETED
				: end.isAfter(now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
		KeyStatus status = new KeyStatus(state, row.getInt(8), RecordRow.time(row, 9, dialect), running ? null : end,
				RecordRow.time(row, 11, dialect));
		return new RecordSummary(RecordId.ofDigest(row.getBytes(1)), key, status,
				running ? Duration.between(now, end) : Duration.ZERO, row.getLong(12), size, row.getString(13));
	}

	/**
	 * The columns that are read.
	 * @param ofResult the column of the result, or an expression of it
	 */
	static String columns(String ofResult) {
		return "id, namespace, operation, principal, tenant, idempotency_key, state, attempt, {time:created_at}, "
				+ "{time:ends_at}, {time:expires_at}, replays, trace, {time:{moment}}, " + ofResult;
	}

	/**
	 * The columns of a whole row.
	 */
	static String allColumns() {
		return columns("result, fingerprint");
	}

	/**
	 * Reads a whole row.
	 */
	static Inspection inspect(ResultSet rows, Dialect dialect) throws SQLException {
		boolean completed = RecordRow.isCompleted(rows.getInt(7));
		byte[] frame = completed ? rows.getBytes(RESULT) : null;
		StoredResult result = (frame != null) ? StoredResult.fromFrame(frame) : null;
		return new Inspection(summary(rows, dialect, (result != null) ? result.size() : 0),
				RecordRow.fingerprint(rows, FINGERPRINT), result);
	}

}
