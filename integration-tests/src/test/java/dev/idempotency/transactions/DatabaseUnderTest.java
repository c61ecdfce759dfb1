package dev.idempotency.transactions;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A database in which work is done and keys are kept.
 */
enum DatabaseUnderTest {

	/**
	 * Has no server that could end a connection.
	 */
	H2("", "", ""),

	POSTGRESQL("select pg_backend_pid()", "select pg_terminate_backend(%d)",
			"select count(*) from pg_stat_activity where pid = %d"),

	MARIADB("select connection_id()", "kill %d", "select count(*) from information_schema.processlist where id = %d");

	private final String session;

	private final String kill;

	private final String count;

	DatabaseUnderTest(String session, String kill, String count) {
		this.session = session;
		this.kill = kill;
		this.count = count;
	}

	/**
	 * The levels that it knows.
	 */
	List<Isolation> isolations() {
		return (this == MARIADB) ? List.of(Isolation.values())
				: List.of(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE);
	}

	/**
	 * The address of a new and empty database. Who waits for a lock there does so for a
	 * short time.
	 */
	String newUrl(Isolation isolation) {
		String name = "matrix" + UUID.randomUUID().toString().replace("-", "");
		return switch (this) {
			case H2 -> "jdbc:h2:mem:%s;USER=sa;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=2000".formatted(name);
			case POSTGRESQL -> PostgresServer.shared().newSchema() + "&options=-c%20lock_timeout=2000";
			case MARIADB -> MariaDbServer.shared().url().replace("/test?", "/" + name + "?")
					+ "&sessionVariables=innodb_lock_wait_timeout=2"
					+ ((isolation == Isolation.SNAPSHOT) ? ",innodb_snapshot_isolation=ON" : "");
		};
	}

	/**
	 * Whether it can look at a constraint as late as at the commit.
	 */
	boolean defersConstraints() {
		return this == POSTGRESQL;
	}

	/**
	 * Makes the tables of the application.
	 */
	void createTables(JdbcTemplate jdbc) {
		jdbc.execute("create table parent (id varchar(60) primary key)");
		jdbc.execute(
				"create table work (id varchar(60) primary key, cell varchar(60) not null, parent varchar(60) null)");
		if (defersConstraints()) {
			jdbc.execute("alter table work add foreign key (parent) references parent (id) "
					+ "deferrable initially deferred");
		}
		jdbc.execute("create table bystander (cell varchar(60) not null)");
		jdbc.execute("create table catalogue (item varchar(60) not null)");
		jdbc.update("insert into catalogue values ('item')");
		jdbc.update("insert into work (id, cell) values ('taken', 'nobody')");
	}

	/**
	 * Ends the connection that the calling thread works on.
	 * @param inside is on that connection
	 * @param outside is on another one
	 */
	void killConnection(JdbcTemplate inside, JdbcTemplate outside) {
		Long id = Objects.requireNonNull(inside.queryForObject(this.session, Long.class));
		outside.execute(this.kill.formatted(id));
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> Long.valueOf(0).equals(outside.queryForObject(this.count.formatted(id), Long.class)));
	}

}
