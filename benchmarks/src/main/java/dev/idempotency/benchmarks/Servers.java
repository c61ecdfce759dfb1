package dev.idempotency.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * Real servers for benchmarks.
 */
public final class Servers {

	private Servers() {
	}

	/**
	 * Starts a Redis without persistence: the bundled one, or the one that the system
	 * property {@code redis.server} names.
	 * @param options further options of its command line
	 * @return the server
	 */
	public static Redis startRedis(String... options) {
		try {
			return new Redis(freePort(), List.of(options));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	/**
	 * Starts a PostgreSQL that does not wait for its disk, since disks differ most
	 * between machines.
	 * @return the server
	 */
	public static Postgres startPostgres() {
		return startPostgres(Map.of());
	}

	/**
	 * Starts a PostgreSQL.
	 * @param settings settings of the server, which override its defaults
	 * @return the server
	 */
	public static Postgres startPostgres(Map<String, String> settings) {
		try {
			return new Postgres(settings);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A server in a process of its own.
	 */
	public sealed interface Server extends AutoCloseable {

		/**
		 * Returns the port on which it listens.
		 * @return the port
		 */
		int port();

		/**
		 * Returns the parent of all other processes of the server.
		 * @return the process
		 */
		ProcessHandle pid();

		/**
		 * Returns all processes of the server. Those that serve a connection end with it:
		 * keep connections open while measuring.
		 * @return the processes
		 */
		default Stream<ProcessHandle> processes() {
			return Stream.concat(Stream.of(pid()), pid().descendants());
		}

		@Override
		void close();

	}

	/**
	 * A Redis.
	 */
	public static final class Redis implements Server {

		private final int port;

		private final Process process;

		private Redis(int port, List<String> options) throws IOException {
			this.port = port;
			List<String> command = new ArrayList<>(List.of(executable(), "--port", String.valueOf(port), "--bind",
					"127.0.0.1", "--save", "", "--dir", System.getProperty("java.io.tmpdir")));
			command.addAll(options);
			this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
			Runtime.getRuntime().addShutdownHook(new Thread(this::close));
			// Its later output is small enough for the buffer of the pipe
			BufferedReader log = this.process.inputReader(StandardCharsets.UTF_8);
			String line = log.readLine();
			while (line != null && !line.contains("Ready to accept connections")) {
				line = log.readLine();
			}
			if (line == null) {
				throw new IOException("Redis did not start");
			}
		}

		private static String executable() throws IOException {
			String other = System.getProperty("redis.server");
			return (other != null) ? other : RedisExecProvider.defaultProvider().get().toString();
		}

		@Override
		public int port() {
			return this.port;
		}

		@Override
		public ProcessHandle pid() {
			return this.process.toHandle();
		}

		@Override
		public void close() {
			this.process.destroyForcibly().onExit().join();
		}

	}

	/**
	 * A PostgreSQL.
	 */
	public static final class Postgres implements Server {

		private final Path data;

		private final EmbeddedPostgres postgres;

		private Postgres(Map<String, String> settings) throws IOException {
			this.data = Files.createTempDirectory("benchmark-postgres-");
			EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setDataDirectory(this.data.toFile());
			settings.forEach(builder::setServerConfig);
			this.postgres = builder.start();
		}

		@Override
		public int port() {
			return this.postgres.getPort();
		}

		/**
		 * The address for JDBC.
		 * @return the URL, with the user in it
		 */
		public String url() {
			return "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(port());
		}

		@Override
		public ProcessHandle pid() {
			try (Stream<String> lines = Files.lines(this.data.resolve("postmaster.pid"))) {
				return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow().trim())).orElseThrow();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public void close() {
			try {
				this.postgres.close();
				FileSystemUtils.deleteRecursively(this.data);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
