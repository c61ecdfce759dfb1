package dev.idempotency.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.fixtures.ManyLeasesContract;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.TcpProxy;
import dev.idempotency.store.IdempotencyStore;
import org.junit.jupiter.api.AutoClose;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class ManyLeasesInPostgresTests extends ManyLeasesContract {

	private final String url = PostgresServer.shared().newSchema();

	@AutoClose
	private final TcpProxy proxy = tenMillisecondsFrom(Integer.parseInt(this.url.replaceFirst(".*:(\\d+)/.*", "$1")));

	@AutoClose
	private final HikariDataSource pool = new HikariDataSource();

	@Override
	protected IdempotencyStore store() {
		this.pool.setJdbcUrl(this.url.replaceFirst(":\\d+/", ":" + this.proxy.port() + "/"));
		this.pool.setMaximumPoolSize(20);
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.pool, JdbcSettings.defaults(),
				(any) -> new DriverManagerDataSource(this.pool.getJdbcUrl()));
		store.prepareTable(InitializeSchema.ALWAYS);
		return store;
	}

}
