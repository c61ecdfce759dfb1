package dev.idempotency.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.BatchRenewingStoreContract;
import dev.idempotency.test.CallerTransaction;
import dev.idempotency.test.IdempotencyStoreContract;
import dev.idempotency.test.SearchableStoreContract;
import dev.idempotency.test.JoiningStoreContract;
import dev.idempotency.test.PurgeableStoreContract;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

import org.springframework.transaction.TransactionDefinition;

/**
 * The contract on one database.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends IdempotencyStoreContract
		implements SearchableStoreContract, JoiningStoreContract, PurgeableStoreContract, BatchRenewingStoreContract {

	@AutoClose
	private HikariDataSource dataSource;

	@AutoClose
	private HikariDataSource otherDataSource;

	private JdbcIdempotencyStore store;

	private JdbcIdempotencyStore otherInstance;

	JdbcStoreContract() {
	}

	/**
	 * Where the database is.
	 */
	abstract String url();

	int connections() {
		return 8;
	}

	/**
	 * Whether a transaction reads something before all else.
	 */
	boolean transactionsRead() {
		return true;
	}

	@BeforeAll
	void prepareTable() {
		this.dataSource = newDataSource();
		this.store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());
		this.store.prepareTable(InitializeSchema.ALWAYS);
		this.otherDataSource = newDataSource();
		this.otherInstance = new JdbcIdempotencyStore(this.otherDataSource, JdbcSettings.defaults());
		this.otherInstance.prepareTable(InitializeSchema.ALWAYS);
		JdbcCallerTransaction.prepare(this.dataSource);
	}

	private HikariDataSource newDataSource() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url());
		dataSource.setMaximumPoolSize(connections());
		return dataSource;
	}

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	@Override
	public IdempotencyStore otherInstance() {
		return this.otherInstance;
	}

	@Override
	public StoreTime time() {
		return StoreTime.real();
	}

	@Override
	public CallerTransaction transaction() {
		return new JdbcCallerTransaction(this.dataSource, TransactionDefinition.ISOLATION_DEFAULT, transactionsRead());
	}

}
