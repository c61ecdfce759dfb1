package dev.idempotency.autoconfigure;

import java.util.UUID;

class ConfiguredH2Tests extends ConfiguredJdbcContract {

	private final String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	@Override
	String url() {
		return this.url;
	}

}
