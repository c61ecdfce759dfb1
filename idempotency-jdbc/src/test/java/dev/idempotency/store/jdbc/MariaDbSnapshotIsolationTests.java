package dev.idempotency.store.jdbc;

import java.util.List;

import dev.idempotency.servers.MariaDbServer;
import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What MariaDB does by default from 11.8 on.
 */
@Tag("slow")
class MariaDbSnapshotIsolationTests extends IsolationContract {

	static final String GREETING = "set session innodb_snapshot_isolation = on";

	@Override
	String url() {
		return server();
	}

	/**
	 * The server, if it can do that.
	 */
	static String server() {
		String url = MariaDbServer.shared().url();
		List<String> found = new JdbcTemplate(new DriverManagerDataSource(url))
			.queryForList("select variable_name from information_schema.system_variables "
					+ "where variable_name = 'INNODB_SNAPSHOT_ISOLATION'", String.class);
		assumeFalse(found.isEmpty(), "This MariaDB knows no innodb_snapshot_isolation");
		return url;
	}

	@Override
	String greeting() {
		return GREETING;
	}

}
