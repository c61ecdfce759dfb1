package dev.idempotency.store.jdbc;

import java.sql.SQLException;

import org.springframework.dao.CannotAcquireLockException;

/**
 * A database with a single writer is busy, and that writer is most likely the calling
 * thread itself, in a transaction of its own. Waiting for it would never end.
 */
final class OwnTransactionWritesException extends CannotAcquireLockException {

	private static final long serialVersionUID = 1L;

	OwnTransactionWritesException(String task, SQLException cause) {
		super(("Cannot %s: SQLite has one writer at a time, and this thread is in a transaction that has most likely "
				+ "written already. Call the protected operation before the transaction writes, or outside of it.")
			.formatted(task), cause);
	}

}
