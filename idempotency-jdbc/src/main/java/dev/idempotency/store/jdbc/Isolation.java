package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The isolation of transactions: what they see of others.
 *
 * @param usual the isolation of transactions that set none
 * @param snapshotsFrom the lowest isolation at which they do not see all that is
 * committed
 */
record Isolation(int usual, int snapshotsFrom) {

	/**
	 * An isolation that no transaction has.
	 */
	static final int NEVER = Integer.MAX_VALUE;

	static Isolation of(Connection connection, Dialect dialect) throws SQLException {
		return new Isolation(connection.getTransactionIsolation(), dialect.snapshotsFrom(connection));
	}

	/**
	 * Whether an update in the calling thread's transaction sees everything that others
	 * have committed.
	 */
	boolean seesWhatIsCommitted() {
		// Known without a query
		Integer asked = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		return ((asked != null) ? asked : this.usual) < this.snapshotsFrom;
	}

}
