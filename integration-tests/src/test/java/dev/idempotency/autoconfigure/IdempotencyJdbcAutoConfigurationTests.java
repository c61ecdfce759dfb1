package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyJdbcAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class));

	private ApplicationContextRunner withDatabase(String url) {
		return this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url);
	}

	private ApplicationContextRunner withH2() {
		return withDatabase("jdbc:h2:mem:" + UUID.randomUUID());
	}

	@Test
	void remembersInTheOnlyDatabaseThereIs() {
		withH2().run((context) -> {
			assertThat(context).hasSingleBean(JdbcIdempotencyStore.class);
			assertThat(tables(context.getBean(DataSource.class), "IDEMPOTENCY_RECORD")).isEqualTo(1);
		});
	}

	@Test
	void remembersInAnotherTable() {
		withH2().withPropertyValues("idempotency.jdbc.table=once")
			.run((context) -> assertThat(tables(context.getBean(DataSource.class), "ONCE")).isEqualTo(1));
	}

	@Test
	void backsOffForTheApplicationsOwnStore() {
		withH2()
			.withBean("ownStore", IdempotencyStore.class,
					() -> new JdbcIdempotencyStore(new DriverManagerDataSource("jdbc:h2:mem:own"),
							JdbcSettings.defaults()))
			.run((context) -> {
				assertThat(context).hasSingleBean(IdempotencyStore.class).hasBean("ownStore");
				assertThat(tables(context.getBean(DataSource.class), "IDEMPOTENCY_RECORD")).isZero();
			});
	}

	@Test
	void staysAwayWhereMemoryIsWanted(CapturedOutput output) {
		withH2().withPropertyValues("idempotency.store=memory").run((context) -> {
			assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class);
			assertThat(output).doesNotContain("in the memory of this process");
		});
	}

	@Test
	void staysAwayWithoutJdbc() {
		withH2().withClassLoader(new FilteredClassLoader(DataSourceUtils.class))
			.run((context) -> assertThat(context).doesNotHaveBean(IdempotencyJdbcAutoConfiguration.class));
		this.runner.run((context) -> assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class));
	}

	@Test
	void staysAwayWhenDisabled() {
		withH2().withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(IdempotencyStore.class)
				.doesNotHaveBean(StoreCandidate.class));
	}

	@Test
	void failsWithBothNamesWhereTwoStoresCompete() {
		withH2()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, IdempotencyRedisAutoConfiguration.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("jdbc and redis");
					assertThat(ex.remedy()).asString().contains("idempotency.store");
				}));
	}

	@Test
	void choosesTheNamedOneWhereTwoStoresCompete() {
		withH2()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, IdempotencyRedisAutoConfiguration.class))
			.withPropertyValues("idempotency.store=jdbc")
			.run((context) -> assertThat(context).hasSingleBean(JdbcIdempotencyStore.class));
	}

	@Test
	void failsWhereTheNamedStoreIsNotThere() {
		for (String name : new String[] { "jdbc", "redis" }) {
			this.runner.withPropertyValues("idempotency.store=" + name)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
						assertThat(ex).hasMessageContaining("idempotency.store is " + name);
						assertThat(ex.remedy()).asString().contains("spring-boot-starter-");
					}));
		}
	}

	@Test
	void failsWhereTwoDatabasesCompete() {
		this.runner.withUserConfiguration(TwoDatabases.class)
			.withPropertyValues("idempotency.store=jdbc")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("none is primary"));
	}

	@Test
	void failsWithTheFileToRunWhereTheTableIsMissing() {
		withDatabase(PostgresServer.shared().newSchema()).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(IdempotencyConfigurationException.class,
					(ex) -> assertThat(ex.remedy()).asString().contains("schema-postgresql.sql")));
	}

	@Test
	void startsWithoutItsDatabase(CapturedOutput output) {
		withDatabase("jdbc:postgresql://localhost:1/none")
			.withPropertyValues("spring.application.name=shop", "spring.datasource.hikari.connection-timeout=250",
					"spring.datasource.hikari.initialization-fail-timeout=-1")
			.run((context) -> {
				assertThat(context).hasSingleBean(JdbcIdempotencyStore.class);
				assertThat(output).contains("cannot be reached");
			});
	}

	@Test
	void failsWithoutANameWhereOthersRememberToo() {
		ApplicationContextRunner shared = withDatabase(PostgresServer.shared().newSchema())
			.withPropertyValues("idempotency.jdbc.initialize-schema=always");
		shared.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
				assertThat(ex).hasMessageContaining("has no name");
				assertThat(ex.remedy()).asString()
					.contains("spring.application.name", "idempotency.namespace=application");
			}));
		for (String name : new String[] { "spring.application.name=shop", "idempotency.namespace=application" }) {
			shared.withPropertyValues(name).run((context) -> assertThat(context).hasNotFailed());
		}
		withH2().run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void failsWithoutANameAlsoWhileItsDatabaseCannotBeReached() {
		withDatabase("jdbc:postgresql://localhost:1/none")
			.withPropertyValues("spring.datasource.hikari.connection-timeout=250",
					"spring.datasource.hikari.initialization-fail-timeout=-1")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("has no name"));
	}

	@Test
	void warnsOfATimeoutThatLetsLeasesRunOut(CapturedOutput output) {
		withH2().run((context) -> assertThat(output).doesNotContain("leases can expire while"));
		withH2().withPropertyValues("idempotency.lease=8s")
			.run((context) -> assertThat(output).containsOnlyOnce("leases can expire while"));
		withH2().withPropertyValues("idempotency.operations.[POST /quick].lease=8s")
			.run((context) -> assertThat(output.toString().split("leases can expire while", -1)).hasSize(3));
	}

	@Test
	void refusesAWrongTable() {
		withH2().withPropertyValues("idempotency.jdbc.table=a;b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("idempotency.jdbc.table must be"));
	}

	@Test
	void waitsForTheMigrationsOfFlyway(@TempDir Path folder) throws IOException {
		try (InputStream schema = JdbcIdempotencyStore.class.getResourceAsStream("schema-h2.sql")) {
			assertThat(schema).isNotNull();
			Files.copy(schema, folder.resolve("V7__idempotency.sql"));
		}
		withH2().withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
			.withPropertyValues("spring.flyway.locations=filesystem:" + folder,
					"idempotency.jdbc.initialize-schema=never")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(InspectableStore.class));
	}

	@Test
	void waitsForTheScriptsOfTheApplication() {
		withH2().withConfiguration(AutoConfigurations.of(DataSourceInitializationAutoConfiguration.class))
			.withPropertyValues("spring.sql.init.schema-locations=classpath:dev/idempotency/store/jdbc/schema-h2.sql",
					"spring.sql.init.mode=always", "idempotency.jdbc.initialize-schema=never")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(JdbcIdempotencyStore.class));
	}

	private static int tables(DataSource dataSource, String name) {
		Integer count = new JdbcTemplate(dataSource)
			.queryForObject("select count(*) from information_schema.tables where table_name = ?", Integer.class, name);
		return (count != null) ? count : -1;
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		DataSource one() {
			return new DriverManagerDataSource("jdbc:h2:mem:one");
		}

		@Bean
		DataSource other() {
			return new DriverManagerDataSource("jdbc:h2:mem:other");
		}

	}

}
