package dev.idempotency.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

import javax.sql.DataSource;

import dev.idempotency.store.jdbc.RenewalDataSources;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.util.ClassUtils;

/**
 * Derives from a pool a {@link DataSource} that connects to its database without the
 * pool.
 */
final class DerivedDataSources implements RenewalDataSources {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyJdbcAutoConfiguration.class);

	/**
	 * The data sources of drivers, which open a new connection on each call.
	 */
	private static final Set<String> UNPOOLED = Set.of("com.ibm.db2.jcc.DB2SimpleDataSource",
			"com.microsoft.sqlserver.jdbc.SQLServerDataSource", "com.mysql.cj.jdbc.MysqlDataSource",
			"oracle.jdbc.datasource.impl.OracleDataSource", "oracle.jdbc.pool.OracleDataSource",
			"org.h2.jdbcx.JdbcDataSource", "org.hsqldb.jdbc.JDBCDataSource", "org.mariadb.jdbc.MariaDbDataSource",
			"org.postgresql.ds.PGSimpleDataSource", "org.sqlite.SQLiteDataSource");

	private static final String BUILDER = "org.springframework.boot.jdbc.DataSourceBuilder";

	private final Duration timeout;

	DerivedDataSources(Duration timeout) {
		this.timeout = timeout;
	}

	@Override
	public @Nullable DataSource beside(DataSource dataSource) {
		DataSource inner = withoutWrappers(dataSource);
		if (isUnpooled(inner)) {
			return null;
		}
		try {
			if (HikariPools.isPresent() && isWrapperFor(inner, HikariPools.type())) {
				return HikariPools.beside(inner, this.timeout);
			}
			return unpooled(inner);
		}
		catch (SQLException | RuntimeException ex) {
			logger.warn("Leases are renewed on connections of {}, since no separate connection could be derived "
					+ "({}). Handlers that hold all of its connections for longer than a lease can lose their claims. "
					+ "Define a DataSource bean for one connection, and name it in "
					+ "idempotency.jdbc.renewal-data-source.", inner.getClass().getName(), ex.getMessage());
			return null;
		}
	}

	/**
	 * Removes Spring's wrappers from a pool. Other wrappers are unwrapped later, through
	 * {@code isWrapperFor}.
	 */
	private static DataSource withoutWrappers(DataSource dataSource) {
		DataSource inner = dataSource;
		while (inner instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null) {
			inner = wrapper.getTargetDataSource();
		}
		return inner;
	}

	private static boolean isUnpooled(DataSource dataSource) {
		return dataSource instanceof AbstractDriverBasedDataSource || dataSource instanceof EmbeddedDatabase
				|| UNPOOLED.contains(ClassUtils.getUserClass(dataSource).getName());
	}

	private static boolean isWrapperFor(DataSource dataSource, Class<?> type) throws SQLException {
		return type.isInstance(dataSource) || dataSource.isWrapperFor(type);
	}

	/**
	 * Derives from a pool that Spring Boot can read. Credentials and the address can
	 * change, so that each connection is derived anew.
	 */
	private static @Nullable DataSource unpooled(DataSource pool) {
		if (!ClassUtils.isPresent(BUILDER, DerivedDataSources.class.getClassLoader())) {
			throw new IllegalArgumentException("spring-boot-jdbc is missing");
		}
		String url = derive(pool).getUrl();
		if (url == null) {
			throw new IllegalArgumentException("its URL is unknown");
		}
		return PrivateDatabases.isPrivate(url) ? null : new AbstractDataSource() {

			@Override
			public Connection getConnection() throws SQLException {
				return derive(pool).getConnection();
			}

			@Override
			public Connection getConnection(String username, String password) throws SQLException {
				return derive(pool).getConnection(username, password);
			}

		};
	}

	private static SimpleDriverDataSource derive(DataSource pool) {
		return DataSourceBuilder.derivedFrom(pool).type(SimpleDriverDataSource.class).build();
	}

}
