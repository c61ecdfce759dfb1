package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import dev.idempotency.store.Claim;

/**
 * Which record, and whose.
 */
final class OwnedRecord {

	private static final int OWNER_BYTES = 2 * Long.BYTES;

	private final byte[] owner;

	private final byte[] id;

	OwnedRecord(byte[] owner, byte[] id) {
		this.owner = owner;
		this.id = id;
	}

	static OwnedRecord of(Claim claim) {
		return new OwnedRecord(bytes(claim.owner()), claim.key().digest());
	}

	static byte[] bytes(UUID owner) {
		return ByteBuffer.allocate(OWNER_BYTES)
			.putLong(owner.getMostSignificantBits())
			.putLong(owner.getLeastSignificantBits())
			.array();
	}

	/**
	 * The owner of a key that was given back, and whose attempts still count.
	 */
	static byte[] nobody() {
		return new byte[OWNER_BYTES];
	}

	boolean isNobodys() {
		return Arrays.equals(this.owner, nobody());
	}

	byte[] owner() {
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
		return Sql.list(connection, query, (row) -> new OwnedRecord(row.getBytes(1), row.getBytes(2)), parameters);
	}

}
