package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import dev.idempotency.store.ClaimResult;

/**
 * Takes a key or says what is there, in the way that suits the database.
 */
@FunctionalInterface
interface Claims {

	ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException;

}
