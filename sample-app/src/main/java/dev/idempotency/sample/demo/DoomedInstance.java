package dev.idempotency.sample.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.idempotency.sample.SampleApplication;
import dev.idempotency.sample.payments.CardNetwork;

import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/**
 * A second server of this application on the same store, in a process of its own, which
 * is killed while it makes a payment.
 */
final class DoomedInstance implements AutoCloseable {

	/**
	 * The setting that makes an instance one of these.
	 */
	static final String DOOMED = "sample.doomed";

	private static final String LISTENS = "doomed instance listens on ";

	private static final String CHARGED = "doomed instance has charged";

	private static final Map<String, String> OWN_SETTINGS = Map.of("--" + DOOMED, "true", "--server.port", "0",
			"--spring.main.lazy-initialization", "true", "--spring.main.banner-mode", "off", "--logging.level.root",
			"warn");

	private static final Duration LONGEST_LIFE = Duration.ofMinutes(2);

	private final Process process;

	private final BufferedReader output;

	private DoomedInstance(Process process) {
		this.process = process;
		this.output = process.inputReader(StandardCharsets.UTF_8);
	}

	/**
	 * Starts a server.
	 * @param settings the settings of this server, as options of the command line
	 */
	static DoomedInstance start(List<String> settings) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(ProcessHandle.current().info().command().orElse("java"));
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx192m"));
		command.addAll(program(System.getProperty("java.class.path")));
		// An option that is given twice would have both values
		settings.stream()
			.filter((setting) -> !OWN_SETTINGS.containsKey(setting.split("=", 2)[0]))
			.forEach(command::add);
		OWN_SETTINGS.forEach((name, value) -> command.add(name + "=" + value));
		return new DoomedInstance(new ProcessBuilder(command).redirectErrorStream(true).start());
	}

	private static List<String> program(String classPath) {
		boolean packaged = classPath.endsWith(".jar") && Path.of(classPath).toFile().isFile();
		return packaged ? List.of("-jar", classPath) : List.of("-cp", classPath, SampleApplication.class.getName());
	}

	/**
	 * Waits until the server listens.
	 * @return its port
	 */
	CompletableFuture<Integer> port() {
		return said(LISTENS).thenApply(Integer::valueOf);
	}

	/**
	 * Waits until the server has charged a customer, before it responds.
	 */
	CompletableFuture<Void> charged() {
		return said(CHARGED).thenAccept((rest) -> {
		});
	}

	private CompletableFuture<String> said(String beginning) {
		return CompletableFuture.supplyAsync(() -> {
			List<String> lines = new ArrayList<>();
			try {
				for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
					if (line.startsWith(beginning)) {
						return line.substring(beginning.length());
					}
					lines.add(line);
				}
			}
			catch (IOException ex) {
				lines.add(ex.toString());
			}
			throw new IllegalStateException("The second server ended by itself: " + String.join("\n", lines));
		});
	}

	long pid() {
		return this.process.pid();
	}

	/**
	 * Kills the process, as {@code kill -9} does.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Inside of the doomed instance: a network that does not respond, so that there is
	 * time for the kill. The process halts by itself if the server that should kill it is
	 * gone.
	 */
	static CardNetwork deadlyCardNetwork() {
		CompletableFuture.delayedExecutor(LONGEST_LIFE.toSeconds(), TimeUnit.SECONDS)
			.execute(() -> Runtime.getRuntime().halt(1));
		return () -> {
			System.out.println(CHARGED);
			CardNetwork.taking(LONGEST_LIFE).agree();
		};
	}

	/**
	 * Inside of the doomed instance: prints the port for the other process.
	 */
	static ApplicationListener<WebServerInitializedEvent> tellPort() {
		return (event) -> System.out.println(LISTENS + event.getWebServer().getPort());
	}

}
