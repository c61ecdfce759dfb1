package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which record, and whose.
 */
final class OwnedRecord {

	private final byte[] owner;

	private final byte[] id;

	OwnedRecord(byte[] owner, byte[] id) {
		this.owner = owner;
		this.id = id;
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
	static List<OwnedRecord> find(Connection connection, String query) throws SQLException {
		List<OwnedRecord> found = new ArrayList<>();
		try (PreparedStatement select = connection.prepareStatement(query); ResultSet rows = select.executeQuery()) {
			while (rows.next()) {
				found.add(new OwnedRecord(rows.getBytes(1), rows.getBytes(2)));
			}
		}
		return found;
	}

}
