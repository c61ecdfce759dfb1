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
import org.jspecify.annotations.Nullable;

/**
 * A row for people to look at.
 */
final class SummaryRow {

	/**
	 * The column of what is asked for of the result.
	 */
	static final int RESULT = 16;

	private static final int FINGERPRINT = 17;

	private final RecordId id;

	private final KeyDescription key;

	private final KeyStatus status;

	private final Duration leaseLeft;

	private final long replays;

	private final @Nullable String trace;

	SummaryRow(ResultSet row, Dialect dialect) throws SQLException {
		this.id = RecordId.ofDigest(row.getBytes(1));
		this.key = new KeyDescription(row.getString(2), row.getString(3), row.getString(4), row.getString(5),
				row.getString(6));
		this.replays = row.getLong(13);
		this.trace = row.getString(14);
		Instant now = RecordRow.time(row, 15, dialect);
		Instant leaseUntil = RecordRow.time(row, 10, dialect);
		boolean running = !RecordRow.COMPLETED.equals(row.getString(7));
		this.leaseLeft = running ? Duration.between(now, leaseUntil) : Duration.ZERO;
		RecordState state = !running ? RecordState.COMPLETED
				: leaseUntil.isAfter(now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
		this.status = new KeyStatus(state, row.getInt(8), RecordRow.time(row, 9, dialect), dialect.readTime(row, 11),
				RecordRow.time(row, 12, dialect));
	}

	/**
	 * The columns that are read.
	 * @param ofResult what is asked for of the result
	 */
	static String columns(String ofResult) {
		return "id, namespace, operation, principal, tenant, idempotency_key, state, attempt, {time:created_at}, "
				+ "{time:lease_until}, {time:completed_at}, {time:expires_at}, replays, trace, {time:{moment}}, "
				+ ofResult;
	}

	RecordSummary summary(long size) {
		return new RecordSummary(this.id, this.key, this.status, this.leaseLeft, this.replays, size, this.trace);
	}

	/**
	 * The columns that are read of a row that is read whole.
	 */
	static String allColumns() {
		return columns("result, fingerprint");
	}

	/**
	 * Reads a row whole.
	 */
	static Inspection inspect(ResultSet rows, Dialect dialect) throws SQLException {
		SummaryRow row = new SummaryRow(rows, dialect);
		byte[] frame = rows.getBytes(RESULT);
		StoredResult result = (frame != null && row.status.state() == RecordState.COMPLETED)
				? StoredResult.fromFrame(frame) : null;
		return new Inspection(row.summary((result != null) ? result.size() : 0),
				RecordRow.fingerprint(rows, FINGERPRINT), result);
	}

}
