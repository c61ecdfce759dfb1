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

import dev.idempotency.servers.JavaProcess;
import org.awaitility.Awaitility;

/**
 * A running application in a process of its own.
 */
final class Instance implements AutoCloseable {

	private static final HttpClient CLIENT = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final JavaProcess process;

	private final Path portFile;

	private volatile int port;

	private Instance(JavaProcess process, Path portFile) {
		this.process = process;
		this.portFile = portFile;
	}

	/**
	 * Begins to start an application.
	 */
	static Instance launch(Path folder, List<String> settings) {
		String name = UUID.randomUUID().toString();
		Path portFile = folder.resolve(name + ".port");
		Path log = folder.resolve(name + ".log");
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=0", "--torture.port-file=" + portFile, "--torture.journal=" + journal(folder),
						"--spring.main.banner-mode=off", "--spring.application.name=torture",
						"--spring.jmx.enabled=false", "--spring.autoconfigure.exclude=" + String.join(",", EXCLUDED)));
		arguments.addAll(settings);
		return new Instance(JavaProcess.launch(TortureApplication.class, log, arguments), portFile);
	}

	private static final List<String> EXCLUDED = List.of(
			"org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
			"org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
			"org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
			"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
			"org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
			"org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration");

	/**
	 * Where handlers write down that they ran.
	 */
	static Path journal(Path folder) {
		return folder.resolve("journal");
	}

	Instance ready() {
		Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(20)).until(() -> {
			this.process.requireRunning();
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
		this.process.kill();
	}

	@Override
	public void close() {
		kill();
	}

}
