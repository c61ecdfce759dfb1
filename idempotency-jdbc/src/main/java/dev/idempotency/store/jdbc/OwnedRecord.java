package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

import dev.idempotency.store.Claim;

/**
 * Which record, and whose.
 */
final class OwnedRecord {

	/**
	 * The owner of a key that was given back, and whose attempts still count.
	 */
	static final long NOBODY = 0;

	private final long owner;

	private final byte[] id;

	OwnedRecord(long owner, byte[] id) {
		this.owner = owner;
		this.id = id;
	}

	static OwnedRecord of(Claim claim) {
		return new OwnedRecord(number(claim.owner()), claim.key().digest());
	}

	/**
	 * What is kept of an owner: half as many bits as it has, all of them random. Whoever
	 * might be taken for another one would have to claim the same key.
	 */
	static long number(UUID owner) {
		return owner.getMostSignificantBits() ^ owner.getLeastSignificantBits();
	}

	boolean isNobodys() {
		return this.owner == NOBODY;
	}

	long owner() {
		return this.owner;
	}

	byte[] id() {
		return this.id;
	}

	/**
	 * Finds some.
	 * @param query asks for their owners and ids
	 */
	static List<OwnedRecord> find(Connection connection, String query, Object... parameters) throws SQLException {
		return Sql.list(connection, query, (row) -> new OwnedRecord(row.getLong(1), row.getBytes(2)), parameters);
	}

}
