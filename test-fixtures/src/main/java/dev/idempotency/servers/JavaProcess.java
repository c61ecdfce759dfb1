package dev.idempotency.servers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import dev.idempotency.fixtures.SlowTests;
import dev.idempotency.fixtures.Unchecked;

/**
 * An application of the tests in a process of its own, which can be killed.
 */
public final class JavaProcess implements AutoCloseable {

	private static final Pattern FOR_LOOKING_AT = Pattern.compile(
			"(spring-ai|mcp|jsonschema|actuator|opentelemetry|springdoc|swagger|selenium|micrometer-(metrics|tracing|registry))[^/\\\\]*\\.jar$");

	private final Process process;

	private final Path log;

	private JavaProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Begins to start an application.
	 */
	public static JavaProcess launch(Class<?> application, Path log, List<String> arguments) {
		return launch(application, "256m", log, arguments);
	}

	/**
	 * Begins to start an application that has only so much memory.
	 */
	public static JavaProcess launch(Class<?> application, String heap, Path log, List<String> arguments) {
		return launch(application, List.of("-Xmx" + heap), log, arguments);
	}

	/**
	 * Begins to start an application in a JVM with options.
	 */
	public static JavaProcess launch(Class<?> application, List<String> options, Path log, List<String> arguments) {
		// Without what only makes an application slow to start: nobody looks at this one
		List<String> classPath = ownClassPath().stream()
			.filter((path) -> !FOR_LOOKING_AT.matcher(path).find())
			.toList();
		List<String> program = new ArrayList<>(options);
		program.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), application.getName()));
		return launch(program, log, Path.of(""), arguments);
	}

	/**
	 * Begins to start an application that is not of the tests.
	 */
	public static JavaProcess launch(String application, List<String> classPath, Path log, List<String> arguments) {
		return launch(List.of("-Xmx256m", "-cp", String.join(File.pathSeparator, classPath), application), log,
				Path.of(""), arguments);
	}

	/**
	 * Begins to start a packaged application.
	 * @param folder where it runs
	 */
	public static JavaProcess launchJar(Path jar, Path log, Path folder, List<String> arguments) {
		return launch(List.of("-Xmx256m", "-jar", jar.toAbsolutePath().toString()), log, folder, arguments);
	}

	/**
	 * Unpacks a packaged application, as one does in production: it starts in two thirds
	 * of the time.
	 * @param folder where it lies afterwards
	 * @return the jar to start there
	 */
	public static Path unpack(Path jar, Path folder) {
		JavaProcess process = launch(List.of("-Djarmode=tools", "-jar", jar.toAbsolutePath().toString()),
				folder.resolveSibling(folder.getFileName() + ".log"), Path.of(""),
				List.of("extract", "--destination", folder.toString()));
		if (process.join() != 0) {
			throw new IllegalStateException("Could not be unpacked:\n" + process.output());
		}
		return folder.resolve(jar.getFileName());
	}

	private static JavaProcess launch(List<String> program, Path log, Path folder, List<String> arguments) {
		SlowTests.require();
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
		command.addAll(program);
		command.addAll(arguments);
		return Unchecked.get(() -> {
			Process process = new ProcessBuilder(command).directory(folder.toAbsolutePath().toFile())
				.redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new JavaProcess(process, log);
		});
	}

	/**
	 * Everything that tests have at hand.
	 */
	public static List<String> ownClassPath() {
		String own = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return List.of(own.split(File.pathSeparator, -1));
	}

	/**
	 * What the application has said so far.
	 */
	public String output() {
		return Unchecked.get(() -> Files.readString(this.log));
	}

	/**
	 * Waits until the application has ended by itself.
	 * @return its exit code
	 */
	public int join() {
		return this.process.onExit().join().exitValue();
	}

	/**
	 * Refuses to wait for something from an application that has ended.
	 */
	public void requireRunning() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("The application has ended:\n" + output());
		}
	}

	public boolean isRunning() {
		return this.process.isAlive();
	}

	/**
	 * Stops the process where it is, as {@code kill -STOP} does.
	 */
	public void pause() {
		Signals.send("STOP", this.process.pid());
	}

	/**
	 * Lets the process go on.
	 */
	public void resume() {
		Signals.send("CONT", this.process.pid());
	}

	/**
	 * Asks the process to end, as Ctrl-C does, and waits until it has.
	 */
	public void stop() {
		this.process.destroy();
		this.process.onExit().join();
	}

	/**
	 * Kills the process, as {@code kill -9} does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

}
