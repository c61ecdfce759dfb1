package dev.idempotency.torture;

import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class StepKillOnPostgresTests extends StepKillContract {

	@Override
	String store() {
		String url = PostgresServer.shared().newSchema();
		new JdbcIdempotencyStore(new DriverManagerDataSource(url), JdbcSettings.defaults())
			.prepareTable(InitializeSchema.ALWAYS);
		return url;
	}

}
