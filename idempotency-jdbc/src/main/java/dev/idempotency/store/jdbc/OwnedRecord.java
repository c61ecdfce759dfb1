package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

import dev.idempotency.store.Claim;

/**
 * The id of a record and its owner.
 *
 * @param owner the stored form of its owner
 * @param id the digest of its key
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared
record OwnedRecord(long owner, byte[] id) {

	/**
	 * The owner of a released key whose attempts still count.
	 */
	static final long NOBODY = 0;

	/**
	 * The owner of a record whose last attempt has reported that its outcome is unknown.
	 */
	static final long REPORTED = 1;

	static OwnedRecord of(Claim claim) {
		return new OwnedRecord(number(claim.owner()), claim.key().digest());
	}

	/**
	 * The stored form of an owner: 64 random bits. Owners need to differ only among the
	 * claims of one key.
	 */
	static long number(UUID owner) {
		return owner.getMostSignificantBits() ^ owner.getLeastSignificantBits();
	}

	boolean isNobodys() {
		return this.owner == NOBODY || this.owner == REPORTED;
	}

	/**
	 * Finds records.
	 * @param query selects their owners and ids
	 */
	static List<OwnedRecord> find(Connection connection, String query, Object... parameters) throws SQLException {
		return Sql.list(connection, query, (row) -> new OwnedRecord(row.getLong(1), row.getBytes(2)), parameters);
	}

}
