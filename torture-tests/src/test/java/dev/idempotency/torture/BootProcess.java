package dev.idempotency.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.idempotency.servers.JavaProcess;
import org.awaitility.Awaitility;

/**
 * A web application in a process of its own. It imports {@link PortFile}, and so tells
 * where it is.
 */
public final class BootProcess implements AutoCloseable {

	private final JavaProcess process;

	private final Path portFile;

	private volatile int port;

	private BootProcess(JavaProcess process, Path portFile) {
		this.process = process;
		this.portFile = portFile;
	}

	/**
	 * Begins to start an application.
	 * @param options of its JVM
	 */
	public static BootProcess launch(Class<?> application, Path folder, List<String> options, List<String> settings) {
		String name = UUID.randomUUID().toString();
		Path portFile = folder.resolve(name + ".port");
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--" + PortFile.SETTING + "=" + portFile,
				"--spring.main.banner-mode=off", "--spring.application.name=torture", "--spring.jmx.enabled=false"));
		arguments.addAll(settings);
		return new BootProcess(JavaProcess.launch(application, options, folder.resolve(name + ".log"), arguments),
				portFile);
	}

	/**
	 * Waits until the application takes requests.
	 */
	public BootProcess ready() {
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

	public int port() {
		return this.port;
	}

	public JavaProcess process() {
		return this.process;
	}

	@Override
	public void close() {
		this.process.kill();
	}

}
