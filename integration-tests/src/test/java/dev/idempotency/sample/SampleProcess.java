package dev.idempotency.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.servers.JavaProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged sample application in a process of its own, on any port that is free.
 */
final class SampleProcess implements AutoCloseable {

	private static final Pattern LISTENS = Pattern.compile("Open http://localhost:(\\d+)");

	/**
	 * Starting takes its time on a busy machine.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(150);

	private static @Nullable Path unpacked;

	private final JavaProcess process;

	private final int port;

	private SampleProcess(JavaProcess process) {
		this.process = process;
		this.port = Awaitility.await().atMost(LONGEST).until(() -> {
			process.requireRunning();
			Matcher listens = LISTENS.matcher(process.output());
			return listens.find() ? Integer.parseInt(listens.group(1)) : 0;
		}, (found) -> found > 0);
	}

	/**
	 * Starts it, and waits until it listens.
	 * @param folder where it runs
	 */
	static SampleProcess start(Path folder, List<String> settings) {
		List<String> all = new ArrayList<>(List.of("--server.port=0", "--spring.main.banner-mode=off"));
		all.addAll(settings);
		return new SampleProcess(JavaProcess.launchJar(unpacked(), folder.resolve("log"), folder, all));
	}

	/**
	 * Once for all processes that tests start from here.
	 */
	private static synchronized Path unpacked() {
		if (unpacked == null) {
			Path jar = Path.of(System.getProperty("sample.jar", ""));
			assertThat(jar).as("the packaged sample, which a build of the whole makes before it comes here")
				.isRegularFile();
			try {
				Path folder = Files.createTempDirectory("sample-");
				Runtime.getRuntime()
					.addShutdownHook(new Thread(() -> FileSystemUtils.deleteRecursively(folder.toFile())));
				unpacked = JavaProcess.unpack(jar, folder.resolve("unpacked"));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return unpacked;
	}

	int port() {
		return this.port;
	}

	/**
	 * Ends it as Ctrl-C does.
	 */
	void stop() {
		this.process.stop();
	}

	/**
	 * Ends it as {@code kill -9} does.
	 */
	@Override
	public void close() {
		this.process.close();
	}

}
