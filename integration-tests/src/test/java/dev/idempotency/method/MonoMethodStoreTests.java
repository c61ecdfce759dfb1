package dev.idempotency.method;

import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.method.MonoMethodTests.Shop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/**
 * Protected methods that return a Mono, on a database that blocks.
 */
@Timeout(60)
class MonoMethodStoreTests {

	@Test
	void givesTwelveSubscribersTheResultOfOneExecution() {
		MethodRunner.plain()
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:monos;DB_CLOSE_DELAY=-1", "idempotency.store=jdbc")
			.withBean(Shop.class)
			.run((context) -> MonoMethodTests.race(context.getBean(Shop.class), LongRun.choose(50, 1_000)));
	}

}
