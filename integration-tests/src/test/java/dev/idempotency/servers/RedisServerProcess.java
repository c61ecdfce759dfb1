package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A real server in a process of its own, which can be killed and started again.
 */
public final class RedisServerProcess implements AutoCloseable {

	private static final int FIRST_PORT = 20_000;

	private static final int PORTS = 12_000;

	private static final int PORTS_OF_A_PROCESS = 50;

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
		try {
			return RedisExecProvider.defaultProvider().get().toPath();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static RedisServerProcess start(String... options) {
		return start(freePort(), options);
	}

	public static RedisServerProcess start(int port, String... options) {
		Path folder = newFolder();
		List<String> all = new ArrayList<>(List.of(options));
		all.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--save", "", "--dir",
				folder.toString()));
		return new RedisServerProcess(port, folder, all).restart();
	}

	public static RedisServerProcess sentinel(int masterPort) {
		int port = freePort();
		Path folder = newFolder();
		try {
			// A sentinel writes to its configuration, and does not start without one
			Path file = Files.writeString(folder.resolve("sentinel.conf"), """
					port %d
					bind 127.0.0.1
					sentinel monitor master 127.0.0.1 %d 1
					sentinel down-after-milliseconds master 1000
					sentinel failover-timeout master 5000
					""".formatted(port, masterPort));
			return new RedisServerProcess(port, folder, List.of(file.toString(), "--sentinel")).restart();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path newFolder() {
		try {
			return Files.createTempDirectory("idempotency-redis");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A port that nobody uses; below the range of the system's own choice, and so low
	 * that the cluster's second port, which is 10000 higher, exists. Processes that run
	 * tests at the same time begin to look in different places.
	 */
	public static int freePort() {
		int begin = (int) (ProcessHandle.current().pid() % PORTS * PORTS_OF_A_PROCESS % PORTS);
		for (int i = 0; i < PORTS; i++) {
			int port = FIRST_PORT + (begin + i) % PORTS;
			if (isFree(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No port is free");
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	public RedisServerProcess restart() {
		List<String> command = new ArrayList<>(List.of(EXECUTABLE.toString()));
		command.addAll(this.options);
		try {
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(this.folder.resolve("log").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(30)).until(this::answers);
		return this;
	}

	private boolean answers() {
		try {
			return send("PING").startsWith("+PONG");
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
		try {
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
