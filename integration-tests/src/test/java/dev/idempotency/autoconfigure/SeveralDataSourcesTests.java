package dev.idempotency.autoconfigure;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with more than one database.
 */
class SeveralDataSourcesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyJdbcAutoConfiguration.class, IdempotencyRedisAutoConfiguration.class,
				IdempotencyTransactionAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class));

	private final ApplicationContextRunner databases = this.runner.withUserConfiguration(TwoDatabases.class);

	@Test
	void failsWhereNothingSaysWhichDatabaseRemembers() {
		for (String store : new String[] { "auto", "jdbc" }) {
			this.databases.withPropertyValues("idempotency.store=" + store)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
						assertThat(ex).hasMessageContaining("archive, orders").hasMessageContaining("none is primary");
						assertThat(ex.remedy()).asString().contains("idempotency.jdbc.data-source");
					}));
		}
	}

	@Test
	void remembersInTheDatabaseThatTheSettingsName() {
		this.databases.withPropertyValues("idempotency.jdbc.data-source=archive").run((context) -> {
			assertThat(context).hasSingleBean(JdbcIdempotencyStore.class);
			assertThat(tables(context.getBean("archive", DataSource.class))).isEqualTo(1);
			assertThat(tables(context.getBean("orders", DataSource.class))).isZero();
		});
	}

	@Test
	void remembersInADatabaseThatNobodyGetsWithoutNamingIt() {
		this.runner.withUserConfiguration(Hidden.class)
			.withPropertyValues("idempotency.jdbc.data-source=hidden")
			.run((context) -> {
				assertThat(context).hasSingleBean(JdbcIdempotencyStore.class);
				assertThat(tables(context.getBean("hidden", DataSource.class))).isEqualTo(1);
			});
	}

	@Test
	void remembersInThePrimaryDatabase() {
		this.databases.withUserConfiguration(PrimaryDatabase.class).run((context) -> {
			assertThat(context).hasSingleBean(JdbcIdempotencyStore.class);
			assertThat(tables(context.getBean("first", DataSource.class))).isEqualTo(1);
		});
	}

	@Test
	void failsWhereTheNamedDatabaseIsNotThere() {
		for (String store : new String[] { "auto", "jdbc" }) {
			this.databases.withPropertyValues("idempotency.jdbc.data-source=order", "idempotency.store=" + store)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
						assertThat(ex).hasMessageContaining("idempotency.jdbc.data-source is \"order\"");
						assertThat(ex.remedy()).asString().contains("archive, orders");
					}));
		}
		this.runner.withPropertyValues("idempotency.jdbc.data-source=order")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("idempotency.jdbc.data-source is \"order\""));
	}

	@Test
	void failsWhereNothingSaysWhichRedisRemembers() {
		for (String store : new String[] { "auto", "redis" }) {
			this.runner.withPropertyValues("idempotency.store=" + store)
				.withBean("one", LettuceConnectionFactory.class)
				.withBean("other", LettuceConnectionFactory.class)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
						assertThat(ex).hasMessageContaining("one, other").hasMessageContaining("none is primary");
						assertThat(ex.remedy()).asString().contains("RedisIdempotencyStore");
					}));
		}
	}

	@Test
	void completesInTransactionsOfTheDatabaseThatRemembers() {
		for (String name : new String[] { "orders", "archive" }) {
			this.databases.withUserConfiguration(Managers.class, Payments.class)
				.withPropertyValues("idempotency.jdbc.data-source=" + name)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context.getBean(Payments.class).pay(name)).isEqualTo("paid");
					assertThat(stored(context.getBean(name, DataSource.class), name)).isEqualTo("COMPLETED");
				});
		}
	}

	@Test
	void completesInTransactionsOfTheNamedDatabaseThoughAnotherManagerIsPrimary() {
		this.databases.withUserConfiguration(Managers.class, PrimaryDatabase.class, Payments.class)
			.withPropertyValues("idempotency.jdbc.data-source=archive")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void refusesTransactionsThatNoManagerOfThatDatabaseBegins() {
		this.databases.withUserConfiguration(PrimaryDatabase.class, Payments.class)
			.withPropertyValues("idempotency.jdbc.data-source=archive")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("does not manage the database of the idempotency store");
					assertThat(ex.remedy()).asString().contains("same DataSource");
				}));
		this.databases.withUserConfiguration(OtherManagers.class, Payments.class)
			.withPropertyValues("idempotency.jdbc.data-source=archive")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class,
						(ex) -> assertThat(ex).hasMessageContaining("several transaction managers")));
	}

	private static int tables(DataSource dataSource) {
		Integer count = new JdbcTemplate(dataSource).queryForObject(
				"select count(*) from information_schema.tables where table_name = 'IDEMPOTENCY_RECORD'",
				Integer.class);
		return (count != null) ? count : -1;
	}

	private static String stored(DataSource dataSource, String key) {
		return String.valueOf(new JdbcTemplate(dataSource).queryForObject(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record where idempotency_key = ?",
				String.class, key));
	}

	private static DataSource database(String name) {
		return new DriverManagerDataSource("jdbc:h2:mem:" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		DataSource orders() {
			return database("orders");
		}

		@Bean
		DataSource archive() {
			return database("archive");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hidden {

		@Bean(defaultCandidate = false)
		DataSource hidden() {
			return database("hidden");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryDatabase {

		@Bean
		@Primary
		DataSource first() {
			return database("first");
		}

		@Bean
		@Primary
		PlatformTransactionManager firstTransactions(@Qualifier("first") DataSource first) {
			return new JdbcTransactionManager(first);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Managers {

		@Bean
		PlatformTransactionManager orderTransactions(@Qualifier("orders") DataSource orders) {
			return new JdbcTransactionManager(orders);
		}

		@Bean
		PlatformTransactionManager archiveTransactions(@Qualifier("archive") DataSource archive) {
			return new JdbcTransactionManager(archive);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherManagers {

		@Bean
		PlatformTransactionManager orderTransactions(@Qualifier("orders") DataSource orders) {
			return new JdbcTransactionManager(orders);
		}

		@Bean
		PlatformTransactionManager otherTransactions() {
			return new JdbcTransactionManager(database("other"));
		}

	}

	@Service
	static class Payments {

		@Idempotent(key = "#id", transactional = true)
		public String pay(String id) {
			return "paid";
		}

	}

}
