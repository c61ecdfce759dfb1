package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The machine's MariaDB. There is none that tests could bring along: where it is not
 * installed, tests are skipped; but not on CI.
 */
public final class MariaDbServer {

	private static final Path DAEMON = Path.of("/usr/sbin/mariadbd");

	private static final int ATTEMPTS = 5;

	private static final class Shared {

		private static final MariaDbServer SERVER = start();

	}

	private final int port;

	private MariaDbServer(int port) {
		this.port = port;
	}

	/**
	 * The server that all tests of this process share. It ends with the process.
	 */
	public static MariaDbServer shared() {
		assumeTrue(Files.isExecutable(DAEMON) || "true".equals(System.getenv("CI")),
				"MariaDB is not installed (Debian: apt-get install mariadb-server)");
		return Shared.SERVER;
	}

	private static MariaDbServer start() {
		try {
			Path home = Files.createTempDirectory("mariadb-");
			String data = "--datadir=" + home.resolve("data");
			String user = "--user=" + System.getProperty("user.name");
			run(List.of("mariadb-install-db", "--no-defaults", data, user, "--auth-root-authentication-method=normal"),
					home.resolve("install.log"))
				.waitFor();
			List<String> command = List.of(DAEMON.toString(), "--no-defaults", data, user,
					"--socket=" + home.resolve("socket"), "--bind-address=127.0.0.1", "--max-connections=300");
			return startSomewhere(command, home.resolve("server.log"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Somebody else may take a port that was free, and then it is another one.
	 */
	private static MariaDbServer startSomewhere(List<String> command, Path log) throws IOException {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			MariaDbServer server = new MariaDbServer(FreePorts.next());
			List<String> onPort = new ArrayList<>(command);
			onPort.add("--port=" + server.port);
			Process process = run(onPort, log);
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !process.isAlive() || server.answers());
			if (process.isAlive()) {
				return server;
			}
		}
		throw new IllegalStateException("MariaDB does not start. It said:\n" + Files.readString(log));
	}

	private static Process run(List<String> command, Path log) throws IOException {
		return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
	}

	private boolean answers() {
		try (Connection connection = DriverManager.getConnection(url())) {
			return connection.isValid(1);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	public String url() {
		return "jdbc:mariadb://localhost:%d/test?user=root&createDatabaseIfNotExist=true".formatted(this.port);
	}

}
