package dev.idempotency.benchmarks.load;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The application in a process of its own.
 */
final class ApplicationProcess implements AutoCloseable {

	/**
	 * The folders or jars of the library's modules.
	 */
	private static final Pattern OWN = Pattern
		.compile("/idempotency-(core|jdbc|redis|spring|web|ai|autoconfigure)(-\\d[^/]*\\.jar$|/(target|build)/)");

	/**
	 * Keeps compiler threads alive, since the CPU time of a thread that has ended is
	 * lost.
	 */
	private static final String KEEP_COMPILERS = "-XX:-UseDynamicNumberOfCompilerThreads";

	private static final String STORE_FAILED = "The idempotency store failed";

	private final Process process;

	/**
	 * Its replies to queries.
	 */
	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	/**
	 * The line of its log that invalidates its figures, if there is one.
	 */
	private volatile @Nullable String failure;

	private final int port;

	private ApplicationProcess(Process process) {
		this.process = process;
		Thread reader = new Thread(this::read, "log of " + process.pid());
		reader.setDaemon(true);
		reader.start();
		this.port = (int) answer(LoadApplication.READY);
	}

	/**
	 * Reads all of its output, since it would block on a full pipe.
	 */
	private void read() {
		try (BufferedReader output = this.process.inputReader()) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				if (line.startsWith(LoadApplication.READY) || line.startsWith(LoadApplication.ALLOCATED)) {
					this.answers.add(line);
				}
				else if (this.failure == null) {
					System.out.println(line);
					this.failure = line.contains(STORE_FAILED) ? line : null;
				}
			}
		}
		catch (IOException ex) {
			// The stream was closed
		}
		this.answers.add("The application has ended");
	}

	/**
	 * Starts the application.
	 * @param java the runtime, or an empty text for our own
	 * @param options options of the runtime
	 * @param withStarter whether the library is on its class path
	 * @param settings its arguments
	 */
	static ApplicationProcess start(String java, List<String> options, boolean withStarter, List<String> settings) {
		List<String> command = new ArrayList<>(
				List.of(java.isEmpty() ? ProcessHandle.current().info().command().orElse("java") : java, "-Xms1g",
						"-Xmx1g", "-XX:+UseG1GC", KEEP_COMPILERS));
		command.addAll(options);
		command.addAll(List.of("-cp", classPath(withStarter), LoadApplication.class.getName(), "--server.port=0",
				"--server.tomcat.max-keep-alive-requests=-1", "--spring.main.banner-mode=off",
				"--logging.level.root=warn", "--spring.jmx.enabled=false", "--spring.application.name=load"));
		command.addAll(settings);
		try {
			Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new ApplicationProcess(process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath(boolean withStarter) {
		Predicate<String> own = OWN.asPredicate();
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
			.filter((path) -> withStarter || !own.test(Path.of(path).toString()))
			.collect(Collectors.joining(File.pathSeparator));
	}

	int port() {
		return this.port;
	}

	ProcessHandle pid() {
		return this.process.toHandle();
	}

	/**
	 * Returns how many bytes its threads have allocated.
	 */
	long allocated() {
		try {
			Writer questions = this.process.outputWriter();
			questions.write('\n');
			questions.flush();
			return answer(LoadApplication.ALLOCATED);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private long answer(String beginning) {
		try {
			String answer = this.answers.take();
			if (this.failure != null || !answer.startsWith(beginning)) {
				throw new IllegalStateException((this.failure != null) ? this.failure : answer);
			}
			return Long.parseLong(answer.substring(beginning.length()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

}
