package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import dev.idempotency.store.ClaimResult;

/**
 * Claims a key or returns its record, in the way that suits the database.
 */
@FunctionalInterface
interface Claims {

	ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException;

}
