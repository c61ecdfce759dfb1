package dev.idempotency.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.awaitility.Awaitility;

/**
 * A running application in a process of its own.
 */
final class Instance implements AutoCloseable {

	private static final HttpClient CLIENT = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final Process process;

	private final Path portFile;

	private final Path log;

	private volatile int port;

	private Instance(Process process, Path portFile, Path log) {
		this.process = process;
		this.portFile = portFile;
		this.log = log;
	}

	/**
	 * Begins to start an application.
	 */
	static Instance launch(Path folder, List<String> settings) {
		String name = UUID.randomUUID().toString();
		Path portFile = folder.resolve(name + ".port");
		Path log = folder.resolve(name + ".log");
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				TortureApplication.class.getName(), "--server.port=0", "--torture.port-file=" + portFile,
				"--torture.journal=" + journal(folder), "--spring.main.banner-mode=off",
				"--spring.application.name=torture", "--spring.jmx.enabled=false",
				"--spring.autoconfigure.exclude=" + String.join(",", EXCLUDED)));
		command.addAll(settings);
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new Instance(process, portFile, log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final List<String> EXCLUDED = List.of(
			"org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
			"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
			"org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration");

	/**
	 * Where handlers write down that they ran.
	 */
	static Path journal(Path folder) {
		return folder.resolve("journal");
	}

	Instance ready() {
		Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(20)).until(() -> {
			if (!this.process.isAlive()) {
				throw new IllegalStateException("The application did not start:\n" + Files.readString(this.log));
			}
			return Files.exists(this.portFile);
		});
		try {
			this.port = Integer.parseInt(Files.readString(this.portFile));
			return this;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Posts once.
	 * @throws IOException if there was no answer
	 */
	HttpResponse<String> post(String path, String key) throws IOException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(this.port, path)))
			.timeout(Duration.ofSeconds(60))
			.header("Idempotency-Key", key)
			.header("Content-Type", "text/plain")
			.POST(HttpRequest.BodyPublishers.ofString("work"))
			.build();
		try {
			return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/**
	 * Posts until the answer is final, as a client does.
	 */
	HttpResponse<String> postUntilDone(String path, String key) throws IOException {
		HttpResponse<String> response = post(path, key);
		for (int i = 0; i < 3000 && (response.statusCode() == 409 || response.statusCode() == 503); i++) {
			Pause.millis(10);
			response = post(path, key);
		}
		return response;
	}

	/**
	 * Kills the process, as {@code kill -9} does.
	 */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

}
