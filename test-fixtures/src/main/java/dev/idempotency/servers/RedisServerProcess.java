package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

import dev.idempotency.fixtures.Unchecked;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/**
 * A real server in a process of its own, which can be killed and started again.
 */
public final class RedisServerProcess implements AutoCloseable {

	private static final int ATTEMPTS = 5;

	private static final Path EXECUTABLE = executable();

	private final int port;

	private final Path folder;

	private final List<String> options;

	private @Nullable Process process;

	private RedisServerProcess(int port, Path folder, List<String> options) {
		this.port = port;
		this.folder = folder;
		this.options = options;
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	private static Path executable() {
		return Unchecked.get(() -> RedisExecProvider.defaultProvider().get().toPath());
	}

	/**
	 * Starts a server on a port that is free. Somebody else may take that port first, and
	 * then it is another one.
	 */
	public static RedisServerProcess start(String... options) {
		return startOnOneOf(FreePorts::next, options);
	}

	static RedisServerProcess startOnOneOf(IntSupplier ports, String... options) {
		return startSomewhere(ports, (port) -> server(port, options));
	}

	public static RedisServerProcess start(int port, String... options) {
		return server(port, options).restart();
	}

	public static RedisServerProcess sentinel(int masterPort) {
		return startSomewhere(FreePorts::next, (port) -> sentinel(port, masterPort));
	}

	private static RedisServerProcess startSomewhere(IntSupplier ports, IntFunction<RedisServerProcess> servers) {
		for (int attempt = 1;; attempt++) {
			RedisServerProcess server = servers.apply(ports.getAsInt());
			try {
				return server.restart();
			}
			catch (IllegalStateException ex) {
				server.close();
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private static RedisServerProcess server(int port, String... options) {
		Path folder = newFolder();
		List<String> all = new ArrayList<>(List.of(options));
		all.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--save", "", "--dir",
				folder.toString()));
		return new RedisServerProcess(port, folder, all);
	}

	private static RedisServerProcess sentinel(int port, int masterPort) {
		Path folder = newFolder();
		return Unchecked.get(() -> {
			// A sentinel writes to its configuration, and does not start without one
			Path file = Files.writeString(folder.resolve("sentinel.conf"), """
					port %d
					bind 127.0.0.1
					sentinel monitor master 127.0.0.1 %d 1
					sentinel down-after-milliseconds master 1000
					sentinel failover-timeout master 5000
					""".formatted(port, masterPort));
			return new RedisServerProcess(port, folder, List.of(file.toString(), "--sentinel"));
		});
	}

	private static Path newFolder() {
		return Unchecked.get(() -> Files.createTempDirectory("idempotency-redis"));
	}

	/**
	 * Starts the server, again or for the first time.
	 * @throws IllegalStateException with what the server said, if it does not start
	 */
	public RedisServerProcess restart() {
		List<String> command = new ArrayList<>(List.of(EXECUTABLE.toString()));
		command.addAll(this.options);
		Process started;
		try {
			started = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log().toFile()).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.process = started;
		try {
			Awaitility.await()
				.pollInterval(Duration.ofMillis(10))
				.atMost(Duration.ofSeconds(30))
				.until(() -> !started.isAlive() || answers(started));
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException(complaint("does not answer"), ex);
		}
		if (!started.isAlive()) {
			throw new IllegalStateException(complaint("has ended"));
		}
		return this;
	}

	private Path log() {
		return this.folder.resolve("log");
	}

	private String complaint(String what) {
		return Unchecked
			.get(() -> "The Redis on port %d %s. It said:%n%s".formatted(this.port, what, Files.readString(log())));
	}

	/**
	 * Whether this very server answers, and not a stranger on its port.
	 */
	private boolean answers(Process started) {
		try {
			return send("PING").startsWith("+PONG")
					&& send("INFO server").lines().anyMatch(("process_id:" + started.pid())::equals);
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	/**
	 * Sends a command without the help of a driver.
	 * @return the first part of the answer
	 */
	public String send(String command) {
		try (Socket socket = new Socket()) {
			socket.setSoTimeout(5000);
			SocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port);
			socket.connect(address, 5000);
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
			byte[] buffer = new byte[64 * 1024];
			int read = socket.getInputStream().read(buffer);
			return new String(buffer, 0, Math.max(0, read), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public int port() {
		return this.port;
	}

	/**
	 * Stops the process without ending it: its connections stay, and nothing answers.
	 */
	public void pause() {
		Signals.send("STOP", pid());
	}

	public void resume() {
		Signals.send("CONT", pid());
	}

	private long pid() {
		return Objects.requireNonNull(this.process).pid();
	}

	/**
	 * Ends the process with SIGKILL: nothing is said to anyone, and nothing saved.
	 */
	public void kill() {
		if (this.process != null) {
			this.process.destroyForcibly().onExit().join();
		}
	}

	@Override
	public void close() {
		kill();
		Folders.delete(this.folder);
	}

}
