package dev.idempotency.store.jdbc;

import java.sql.SQLException;

import org.springframework.dao.CannotAcquireLockException;

/**
 * A database that has one writer was busy, and that writer is most likely the calling
 * thread itself, in a transaction of its own: waiting for its end would never end.
 */
final class OwnTransactionWritesException extends CannotAcquireLockException {

	private static final long serialVersionUID = 1L;

	OwnTransactionWritesException(String task, SQLException cause) {
		super(("Cannot %s: SQLite has one writer at a time, and this thread is in a transaction that has most likely "
				+ "written already. Call what is protected before the transaction writes, or outside of it.")
			.formatted(task), cause);
	}

}
