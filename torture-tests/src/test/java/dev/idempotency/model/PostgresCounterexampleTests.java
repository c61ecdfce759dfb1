package dev.idempotency.model;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AutoClose;

class PostgresCounterexampleTests implements CounterexampleContract {

	private final String url = PostgresServer.shared().newSchema();

	@AutoClose
	private final HikariDataSource dataSource = dataSource();

	@AutoClose
	private final HikariDataSource otherDataSource = dataSource();

	private final JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());

	private final JdbcIdempotencyStore otherInstance = new JdbcIdempotencyStore(this.otherDataSource,
			JdbcSettings.defaults());

	PostgresCounterexampleTests() {
		this.store.prepareTable(InitializeSchema.ALWAYS);
		this.otherInstance.prepareTable(InitializeSchema.NEVER);
	}

	private HikariDataSource dataSource() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(this.url);
		dataSource.setMaximumPoolSize(2);
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

}
