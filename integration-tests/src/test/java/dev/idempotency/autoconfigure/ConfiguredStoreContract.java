package dev.idempotency.autoconfigure;

import java.util.List;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.BatchRenewingStoreContract;
import dev.idempotency.test.IdempotencyStoreContract;
import dev.idempotency.test.SearchableStoreContract;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The stores as applications have them: with the drivers and the settings of the line of
 * Spring Boot under test. The modules of the stores have the same contract, on the oldest
 * line, and test each store in itself.
 */
@Tag("slow")
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConfiguredStoreContract extends IdempotencyStoreContract
		implements SearchableStoreContract, BatchRenewingStoreContract {

	private List<ConfigurableApplicationContext> applications = List.of();

	abstract String[] settings();

	@BeforeAll
	void start() {
		this.applications = List.of(application(), application());
	}

	private ConfigurableApplicationContext application() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.application.name=shop", "spring.main.banner-mode=off", "test.bystanders=false",
					"spring.flyway.enabled=false", "idempotency.jdbc.initialize-schema=always",
					"idempotency.purge.interval=0")
			.run(settings());
	}

	@AfterAll
	void stop() {
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

	<T> T bean(Class<T> type) {
		return this.applications.get(0).getBean(type);
	}

	@Override
	public IdempotencyStore store() {
		return bean(IdempotencyStore.class);
	}

	@Override
	public IdempotencyStore otherInstance() {
		return this.applications.get(1).getBean(IdempotencyStore.class);
	}

	@Override
	public StoreTime time() {
		return StoreTime.real();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
