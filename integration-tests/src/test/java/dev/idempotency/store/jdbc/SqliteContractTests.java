package dev.idempotency.store.jdbc;

import java.nio.file.Path;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
class SqliteContractTests extends JdbcStoreContract {

	@TempDir
	private static Path folder;

	@Override
	String url() {
		return "jdbc:sqlite:" + folder.resolve("contract.db") + "?journal_mode=WAL&busy_timeout=10000";
	}

	@Override
	int connections() {
		return 4;
	}

	/**
	 * Who has read may write only if nobody else has written since.
	 */
	@Override
	boolean transactionsRead() {
		return false;
	}

	@Test
	@Override
	@Disabled("There is one writer at a time: a transaction that has written anything is in the way of all others")
	public void isRenewedWhileTheCallersTransactionGoesOn() {
	}

}
