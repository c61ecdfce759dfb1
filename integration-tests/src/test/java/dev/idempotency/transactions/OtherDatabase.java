package dev.idempotency.transactions;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Another database and its manager, for those who ask for it by name.
 */
@Configuration(proxyBeanMethods = false)
class OtherDatabase {

	@Bean(defaultCandidate = false)
	DataSource otherDataSource() {
		HikariDataSource dataSource = DataSourceBuilder.create()
			.type(HikariDataSource.class)
			.url("jdbc:h2:mem:other-%s;USER=sa;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()))
			.build();
		new JdbcTemplate(dataSource).execute("create table work (id varchar(60), cell varchar(60))");
		return dataSource;
	}

	@Bean(defaultCandidate = false)
	DataSourceTransactionManager otherManager(@Qualifier("otherDataSource") DataSource dataSource) {
		return new DataSourceTransactionManager(dataSource);
	}

}
