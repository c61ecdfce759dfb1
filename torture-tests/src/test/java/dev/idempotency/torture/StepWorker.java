package dev.idempotency.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;

import dev.idempotency.fixtures.Unchecked;
import org.jspecify.annotations.Nullable;

/**
 * A process that does {@link StepTask}s.
 */
final class StepWorker {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final String ENDED = "> ended";

	private final String name;

	private final Process process;

	private final Writer orders;

	private final BlockingDeque<String> said = new LinkedBlockingDeque<>();

	private final Queue<String> log = new ConcurrentLinkedQueue<>();

	private StepWorker(String name, Process process) {
		this.name = name;
		this.process = process;
		this.orders = process.outputWriter(StandardCharsets.UTF_8);
	}

	/**
	 * Begins to start a process.
	 */
	static StepWorker launch(String ledger, String store) {
		String name = UUID.randomUUID().toString();
		return Unchecked.get(() -> {
			Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m", "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
					StepTask.class.getName(), name, ledger, store)
				.redirectErrorStream(true)
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			StepWorker worker = new StepWorker(name, process);
			Thread reader = new Thread(worker::read, "reads " + name);
			reader.setDaemon(true);
			reader.start();
			return worker;
		});
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			output.lines().forEach((line) -> (line.startsWith("> ") ? this.said : this.log).add(line));
		}
		catch (IOException | UncheckedIOException ex) {
			this.log.add(ex.toString());
		}
		this.said.add(ENDED);
	}

	String name() {
		return this.name;
	}

	void awaitReadiness() {
		if (await(StepTask.READY, LONG) == null) {
			throw new IllegalStateException("The worker did not start: %s".formatted(this.log));
		}
	}

	/**
	 * Orders a task.
	 */
	void order(String task) {
		Unchecked.run(() -> {
			this.orders.write(task + "\n");
			this.orders.flush();
		});
	}

	/**
	 * Waits until the task has begun, or, if all had been done before, its result is
	 * there.
	 */
	void awaitBeginning() {
		String line = next(LONG);
		if (line == null || line.startsWith(ENDED)) {
			throw new IllegalStateException("The worker did not begin: %s".formatted(this.log));
		}
		if (line.startsWith(StepTask.DONE)) {
			this.said.addFirst(line);
		}
	}

	/**
	 * Waits for the result of the task.
	 * @return the result, or {@code null} if it does not come in time
	 */
	@Nullable List<String> result(Duration patience) {
		String line = await(StepTask.DONE, patience);
		return (line != null) ? List.of(line.substring(StepTask.DONE.length()).split(" ")) : null;
	}

	List<String> resultOf(String task) {
		order(task);
		List<String> result = result(LONG);
		if (result == null) {
			throw new IllegalStateException("The worker did not end: %s".formatted(this.log));
		}
		return result;
	}

	private @Nullable String await(String start, Duration patience) {
		long deadline = System.nanoTime() + patience.toNanos();
		while (true) {
			String line = next(Duration.ofNanos(deadline - System.nanoTime()));
			if (line == null || line.startsWith(start)) {
				return line;
			}
			if (line.equals(ENDED)) {
				throw new IllegalStateException("The worker ended by itself: %s".formatted(this.log));
			}
		}
	}

	private @Nullable String next(Duration patience) {
		return Unchecked.get(() -> this.said.pollFirst(patience.toNanos(), TimeUnit.NANOSECONDS));
	}

	/**
	 * Kills the process, as {@code kill -9} does.
	 */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
