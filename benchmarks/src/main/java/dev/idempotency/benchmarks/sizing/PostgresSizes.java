package dev.idempotency.benchmarks.sizing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.benchmarks.Servers;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;

/**
 * Measures a PostgreSQL that is filled with completed records. It writes full-page images
 * as in production, and has checkpoints and vacuums only on command.
 */
final class PostgresSizes implements AutoCloseable {

	private static final Map<String, String> SETTINGS = Map.of("full_page_writes", "on", "autovacuum", "off",
			"checkpoint_timeout", "1d", "max_wal_size", "40GB", "shared_buffers", "1GB");

	/**
	 * Short, so that records expire soon and can be purged.
	 */
	private static final Duration TTL = Duration.ofSeconds(30);

	private static final int THREADS = 8;

	private static final int BATCH = 1_000;

	private static final int MOST_TO_PURGE = 1_000_000;

	/**
	 * Does what the store does, on the server: a claim and its commit, a completion and
	 * its commit. Several per commit would be quicker, but would leave more dead rows.
	 */
	private static final String COPY = """
			do $$
			declare
				name bytea;
			begin
				for i in 1..%d loop
					name = sha256(uuid_send(gen_random_uuid()));
					insert into idempotency_record (id, owner, fingerprint, ends_at, expires_at, trace, namespace, operation,
						principal, tenant, idempotency_key, state, attempt, created_at)
					values (name, i, name, clock_timestamp() + interval '10 s', clock_timestamp() + interval '30 s', null,
						'%s', '%s', null, null, gen_random_uuid()::text, 0, 1, clock_timestamp())
					on conflict do nothing;
					commit;
					update idempotency_record set state = 1, ends_at = clock_timestamp(), result = '\\x%s' where id = name;
					commit;
				end loop;
			end $$""";

	private static final String SIZE = "select pg_relation_size('%s')";

	private final Servers.Postgres server;

	private final HikariDataSource dataSource = new HikariDataSource();

	private final JdbcIdempotencyStore store;

	private final StoreFilling filling;

	private final Connection connection;

	PostgresSizes(int answer) {
		this.server = Servers.startPostgres(SETTINGS);
		this.dataSource.setJdbcUrl(this.server.url());
		this.dataSource.setMaximumPoolSize(THREADS);
		this.store = new JdbcIdempotencyStore(this.dataSource,
				new JdbcSettings(JdbcSettings.DEFAULT_TABLE, Duration.ofMinutes(1)));
		this.store.prepareTable(InitializeSchema.ALWAYS);
		this.filling = new StoreFilling(this.store, THREADS, TTL, answer);
		this.connection = connect();
		this.filling.first(1_000);
		execute("truncate idempotency_record");
		execute("create extension pgstattuple");
	}

	StoreFilling filling() {
		return this.filling;
	}

	/**
	 * Adds records that the server creates itself, on two connections.
	 */
	void copy(int records) {
		String command = COPY.formatted(records / 2, StoreFilling.NAMESPACE, StoreFilling.OPERATION,
				HexFormat.of().formatHex(this.filling.frame()));
		CompletableFuture.allOf(IntStream.range(0, 2).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			try (Connection own = connect(); Statement statement = own.createStatement()) {
				statement.execute("set synchronous_commit = off");
				statement.execute(command);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		})).toArray(CompletableFuture<?>[]::new)).join();
	}

	private Connection connect() {
		try {
			return DriverManager.getConnection(this.server.url());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	double heap() {
		return number(SIZE.formatted("idempotency_record"));
	}

	double idIndex() {
		return number(SIZE.formatted("idempotency_record_pkey"));
	}

	double expiryIndex() {
		return number(SIZE.formatted("idempotency_record_expires_at"));
	}

	/**
	 * Results that are too large for a row, with their index.
	 */
	double toast() {
		return number("select coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) from pg_class "
				+ "where relname = 'idempotency_record'");
	}

	double disk() {
		return heap() + idIndex() + expiryIndex() + toast();
	}

	/**
	 * Bytes of WAL since the server was created.
	 */
	double wal() {
		return number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
	}

	/**
	 * Dead versions of rows, counted row by row, since the statistics lag behind.
	 */
	private double dead() {
		return number("select dead_tuple_count from pgstattuple('idempotency_record')");
	}

	private double hotUpdates() {
		return number("select 100.0 * n_tup_hot_upd / greatest(1, n_tup_upd) from pg_stat_user_tables "
				+ "where relname = 'idempotency_record'");
	}

	/**
	 * The CPU time of all processes of the server in seconds, without those whose
	 * connection was closed.
	 */
	double cpu() {
		return this.server.processes()
			.flatMap((process) -> process.info().totalCpuDuration().stream())
			.mapToDouble((time) -> time.toNanos() / 1e9)
			.sum();
	}

	void execute(String command) {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(command);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private double number(String query) {
		try (PreparedStatement statement = this.connection.prepareStatement(query);
				ResultSet result = statement.executeQuery()) {
			result.next();
			return result.getDouble(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Waits until all records have expired.
	 */
	void awaitExpiry() {
		execute("select pg_sleep(extract(epoch from max(expires_at) - clock_timestamp()) + 0.1) from idempotency_record");
	}

	/**
	 * Removes expired records batch by batch, as the purger does, but without its pauses.
	 * @return how many records were removed
	 */
	long purge(int most) {
		long purged = 0;
		int batch;
		do {
			batch = this.store.purge(BATCH);
			purged += batch;
		}
		while (batch > 0 && purged < most);
		return purged;
	}

	static void measure(int records, int answer, int throughTheStore) {
		try (PostgresSizes sizes = new PostgresSizes(answer)) {
			sizes.measure(new Report("PostgreSQL", records, answer), records, answer, throughTheStore);
		}
	}

	private void measure(Report report, int records, int answer, int throughTheStore) {
		double wal = wal();
		double cpu = cpu();
		long start = System.nanoTime();
		this.filling.first(throughTheStore);
		report.say("%,d through the store: %.0f s, %.1f µs of the server's CPU each".formatted(throughTheStore,
				seconds(start), (cpu() - cpu) / throughTheStore * 1e6));
		if (throughTheStore < records) {
			start = System.nanoTime();
			copy(records - throughTheStore);
			report.say("%,d by the server itself: %.0f s".formatted(records - throughTheStore, seconds(start)));
		}
		report.compare("WAL of a first request", (wal() - wal) / records, Sizing.walOfARequest(answer));
		report.compare("table", heap(), records * Sizing.heapOfARecord(answer));
		if (Sizing.toastOfARecord(answer) > 0) {
			report.compare("TOAST", toast(), records * Sizing.toastOfARecord(answer));
		}
		report.compare("index of ids", idIndex(), records * Sizing.idIndexOfARecord());
		report.compare("index of expiry", expiryIndex(), records * Sizing.expiryIndexOfARecord());
		report.compare("disk", disk(), Sizing.postgresDisk(records, answer));
		report.say("HOT updates %.1f %%, dead rows %,.0f".formatted(hotUpdates(), dead()));
		int further = Math.max(10_000, records / 100);
		double images = Sizing.walAfterACheckpoint(records, further, answer);
		report.compare("WAL of %,d requests after a checkpoint".formatted(further), walAfterACheckpoint(further),
				images);
		report.compare("WAL of a vacuum", vacuum(report), Sizing.walOfAVacuum(records, answer));
		report.say("%.1f pages of the table logged for each request after a vacuum"
			.formatted((walAfterACheckpoint(further) - images) / further / Sizing.imageOfAPage()));
		report.say("a replay: %.1f µs of the server's CPU".formatted(this.filling.replay(10_000, 10, this::cpu) * 1e6));
		awaitExpiry();
		execute("checkpoint");
		wal = wal();
		start = System.nanoTime();
		long purged = purge(MOST_TO_PURGE);
		double took = seconds(start);
		report.compare("WAL to purge a record", (wal() - wal) / purged, Sizing.walOfAPurge(answer));
		report.say("purged %,d in %.0f s: %,.0f a second; dead rows %,.0f, disk %,.0f".formatted(purged, took,
				purged / took, dead(), disk()));
		vacuum(report);
	}

	private double walAfterACheckpoint(int requests) {
		execute("checkpoint");
		double wal = wal();
		this.filling.first(requests);
		return wal() - wal;
	}

	/**
	 * Vacuums.
	 * @return how much WAL that took
	 */
	private double vacuum(Report report) {
		execute("checkpoint");
		double wal = wal();
		long start = System.nanoTime();
		execute("vacuum analyze idempotency_record");
		double written = wal() - wal;
		report.say("vacuum %.1f s, WAL %,.0f, dead rows after it %,.0f, disk %,.0f".formatted(seconds(start), written,
				dead(), disk()));
		return written;
	}

	private static double seconds(long start) {
		return (System.nanoTime() - start) / 1e9;
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		this.store.close();
		this.dataSource.close();
		this.server.close();
	}

}
