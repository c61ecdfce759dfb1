package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.idempotency.fixtures.Unchecked;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL that tests bring along.
 */
public final class PostgresServer implements AutoCloseable {

	private static final class Shared {

		private static final PostgresServer SERVER = start();

	}

	private final Path data;

	private final Map<String, String> settings;

	private EmbeddedPostgres process;

	private PostgresServer(Path data, Map<String, String> settings, EmbeddedPostgres process) {
		this.data = data;
		this.settings = settings;
		this.process = process;
	}

	/**
	 * The server that all tests of this process share. It ends with the process.
	 */
	public static PostgresServer shared() {
		return Shared.SERVER;
	}

	/**
	 * A server of one's own, which can be restarted.
	 */
	public static PostgresServer start() {
		return start(Map.of());
	}

	/**
	 * A server of one's own, with settings of one's own.
	 */
	public static PostgresServer start(Map<String, String> settings) {
		return Unchecked.get(() -> {
			Path data = Files.createTempDirectory("postgres-");
			return new PostgresServer(data, settings, launch(data, settings, FreePorts.next()));
		});
	}

	private static EmbeddedPostgres launch(Path data, Map<String, String> settings, int port) throws IOException {
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
			.setDataDirectory(data.toFile())
			.setCleanDataDirectory(false)
			.setServerConfig("max_connections", "200")
			.setPort(port);
		settings.forEach(builder::setServerConfig);
		return builder.start();
	}

	public int port() {
		return this.process.getPort();
	}

	public String url() {
		return "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(port());
	}

	/**
	 * The address of a new schema.
	 */
	public String newSchema() {
		String schema = "s" + UUID.randomUUID().toString().replace("-", "");
		try (Connection connection = DriverManager.getConnection(url());
				Statement statement = connection.createStatement()) {
			statement.execute("create schema " + schema);
			return url() + "&currentSchema=" + schema;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public void stop() {
		Unchecked.run(() -> this.process.close());
	}

	/**
	 * Starts again, on the same port and with the same data.
	 */
	public void startAgain() {
		try {
			this.process = launch(this.data, this.settings, port());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends the server at once, as a crash does: nobody is told, and nothing is written
	 * that was not written before. All of its processes are stopped first. If only the
	 * first one were killed, the others would live on for a moment: a commit that was
	 * waiting for a standby becomes visible then, and is read, although no standby has
	 * it.
	 */
	public void kill() {
		long first = pid();
		Signals.send("STOP", first);
		List<Long> all = new ArrayList<>(List.of(first));
		ProcessHandle.of(first).stream().flatMap(ProcessHandle::descendants).map(ProcessHandle::pid).forEach(all::add);
		Signals.send("STOP", all);
		Signals.send("KILL", all);
		Logger logger = (Logger) LoggerFactory.getLogger(EmbeddedPostgres.class);
		Level level = logger.getLevel();
		// It lets go of the folder, and complains that there is nothing to stop
		logger.setLevel(Level.OFF);
		stop();
		logger.setLevel(level);
	}

	/**
	 * Kills the server, and removes what it has kept.
	 */
	public void discard() {
		kill();
		removeData();
	}

	/**
	 * Removes what the server has kept, once it has ended.
	 */
	public void removeData() {
		Folders.delete(this.data);
	}

	private long pid() {
		return Unchecked
			.get(() -> Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0).strip()));
	}

	/**
	 * Starts a server that follows this one, and is ready to take its place.
	 */
	public PostgresServer startStandby() {
		return Unchecked.get(() -> {
			Path copy = Files.createTempDirectory("postgres-");
			new BaseBackup(this.data).takeInto(copy, port(), url());
			return new PostgresServer(copy, this.settings, launch(copy, this.settings, 0));
		});
	}

	/**
	 * Runs a statement as the owner of the server.
	 */
	public void execute(String sql) {
		try (Connection connection = DriverManager.getConnection(url());
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		stop();
	}

}
