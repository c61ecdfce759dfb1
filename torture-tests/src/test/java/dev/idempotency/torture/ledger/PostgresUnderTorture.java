package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A PostgreSQL with a synchronous standby: what was committed is on both.
 */
final class PostgresUnderTorture implements TorturedStore {

	private static final Map<String, String> SETTINGS = Map.of("synchronous_commit", "on", "wal_keep_size", "256MB",
			"wal_retrieve_retry_interval", "100ms");

	private PostgresServer primary = PostgresServer.start(SETTINGS);

	private PostgresServer standby;

	PostgresUnderTorture() {
		this.primary.execute("create table ledger (caller varchar(20), idempotency_key varchar(40), "
				+ "attempt int, id varchar(40), instance varchar(20), amount int)");
		createTables(this.primary);
		this.standby = follow();
	}

	static void createTables(PostgresServer server) {
		new ResourceDatabasePopulator(new ClassPathResource("dev/idempotency/store/jdbc/schema-postgresql.sql"))
			.execute(new DriverManagerDataSource(server.url()));
	}

	/**
	 * Starts a standby, and lets all commits wait for it from then on.
	 */
	private PostgresServer follow() {
		PostgresServer following = this.primary.startStandby();
		this.primary.execute("alter system set synchronous_standby_names = '*'");
		this.primary.execute("select pg_reload_conf()");
		awaitStandby();
		return following;
	}

	private void awaitStandby() {
		JdbcTemplate jdbc = jdbc(this.primary);
		Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> List.of("sync")
				.equals(jdbc.queryForList("select sync_state from pg_stat_replication where state = 'streaming'",
						String.class)));
	}

	private static JdbcTemplate jdbc(PostgresServer server) {
		return new JdbcTemplate(new DriverManagerDataSource(server.url()));
	}

	@Override
	public List<Integer> ports() {
		return List.of(this.primary.port());
	}

	@Override
	public List<String> settings(List<Integer> ports) {
		return settings("--spring.datasource.url=" + url(ports.get(0)));
	}

	static String url(int port) {
		return "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(port);
	}

	static List<String> settings(String addresses) {
		return List.of(addresses, "--spring.datasource.hikari.connection-timeout=1000",
				"--spring.datasource.hikari.validation-timeout=500", "--idempotency.store=jdbc",
				"--idempotency.jdbc.initialize-schema=never", "--idempotency.jdbc.timeout=1s");
	}

	@Override
	public void restart(int place) {
		this.primary.kill();
		this.primary.startAgain();
		awaitStandby();
	}

	@Override
	public void failOver() {
		this.primary.discard();
		this.standby.execute("select pg_promote(true, 30)");
		this.primary = this.standby;
		this.primary.execute("alter system reset synchronous_standby_names");
		this.primary.execute("select pg_reload_conf()");
	}

	@Override
	public void recover() {
		this.standby = follow();
	}

	@Override
	public Set<KeyOfCaller> completed(int place) {
		return completedIn(this.primary);
	}

	static Set<KeyOfCaller> completedIn(PostgresServer server) {
		return new HashSet<>(jdbc(server).query(
				"select principal, idempotency_key from idempotency_record where state > 0 or owner in "
						+ "(select owner from idempotency_record_outcome where result is not null)",
				(row, number) -> new KeyOfCaller(row.getString(1), row.getString(2))));
	}

	@Override
	public List<Effect> effects() {
		return jdbc(this.primary).query("select caller, idempotency_key, attempt, id, amount from ledger",
				(row, number) -> new Effect(new KeyOfCaller(row.getString(1), row.getString(2)), row.getInt(3),
						row.getString(4), row.getInt(5)));
	}

	@Override
	public void close() {
		this.standby.discard();
		this.primary.discard();
	}

}
