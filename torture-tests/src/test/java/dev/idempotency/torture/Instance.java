package dev.idempotency.torture;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A running application in a process of its own.
 */
final class Instance implements AutoCloseable {

	private static final HttpClient CLIENT = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final BootProcess process;

	private Instance(BootProcess process) {
		this.process = process;
	}

	/**
	 * Begins to start an application.
	 */
	static Instance launch(Path folder, List<String> settings) {
		return launch(TortureApplication.class, folder, settings);
	}

	/**
	 * Begins to start an application.
	 */
	static Instance launch(Class<?> application, Path folder, List<String> settings) {
		List<String> arguments = new ArrayList<>(settings);
		arguments.add("--torture.journal=" + journal(folder));
		return new Instance(BootProcess.launch(application, folder, List.of("-Xmx256m"), arguments));
	}

	/**
	 * Where handlers write down that they ran.
	 */
	static Path journal(Path folder) {
		return folder.resolve("journal");
	}

	Instance ready() {
		this.process.ready();
		return this;
	}

	/**
	 * Posts once.
	 * @throws IOException if there was no answer
	 */
	HttpResponse<String> post(String path, String key) throws IOException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d%s".formatted(this.process.port(), path)))
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
	 * Asks the process to end, as {@code kill} does, and waits until it has.
	 */
	void stop() {
		this.process.process().stop();
	}

	/**
	 * Stops the process where it is, as {@code kill -STOP} does.
	 */
	void pause() {
		this.process.process().pause();
	}

	/**
	 * Lets the process go on.
	 */
	void resume() {
		this.process.process().resume();
	}

	/**
	 * Kills the process, as {@code kill -9} does.
	 */
	void kill() {
		this.process.close();
	}

	@Override
	public void close() {
		kill();
	}

}
