package dev.idempotency.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.CallerTransaction;
import dev.idempotency.test.JoiningStoreContract;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

import org.springframework.transaction.TransactionDefinition;

/**
 * The contract of a store that joins transactions, whatever they see of others: the
 * isolation is that of all connections, or is asked for by the transaction.
 */
abstract class IsolationContract {

	/**
	 * Where the database is.
	 */
	abstract String url();

	/**
	 * What is said to each new connection.
	 */
	String greeting() {
		return "select 1";
	}

	@Nested
	class ReadCommittedTransactions extends OneIsolation {

		ReadCommittedTransactions() {
			super("TRANSACTION_REPEATABLE_READ", TransactionDefinition.ISOLATION_READ_COMMITTED);
		}

	}

	@Nested
	class RepeatableReadTransactions extends OneIsolation {

		RepeatableReadTransactions() {
			super("TRANSACTION_READ_COMMITTED", TransactionDefinition.ISOLATION_REPEATABLE_READ);
		}

	}

	@Nested
	class SerializableConnections extends OneIsolation {

		SerializableConnections() {
			super("TRANSACTION_SERIALIZABLE", TransactionDefinition.ISOLATION_DEFAULT);
		}

	}

	/**
	 * The contract at one isolation.
	 */
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract class OneIsolation implements JoiningStoreContract {

		private final String ofConnections;

		private final int ofTransactions;

		@AutoClose
		private HikariDataSource dataSource;

		@AutoClose
		private HikariDataSource otherDataSource;

		private JdbcIdempotencyStore store;

		private JdbcIdempotencyStore otherInstance;

		OneIsolation(String ofConnections, int ofTransactions) {
			this.ofConnections = ofConnections;
			this.ofTransactions = ofTransactions;
		}

		@BeforeAll
		void connect() {
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
			dataSource.setTransactionIsolation(this.ofConnections);
			dataSource.setConnectionInitSql(greeting());
			dataSource.setMaximumPoolSize(4);
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
			return new JdbcCallerTransaction(this.dataSource, this.ofTransactions, true);
		}

	}

}
