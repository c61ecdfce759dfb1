package dev.idempotency.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The CPU time of the threads of processes, as Linux reports it: in nanoseconds if
 * available, else in hundredths of a second.
 */
final class CpuTime {

	private static final int NANOS_OF_A_TICK = 10_000_000;

	private final Map<Path, Long> work = new HashMap<>();

	private final Map<Path, Long> compilers = new HashMap<>();

	private CpuTime() {
	}

	/**
	 * Reads the CPU time of processes until now.
	 */
	static CpuTime of(List<ProcessHandle> processes) {
		CpuTime time = new CpuTime();
		for (ProcessHandle process : processes) {
			try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(process.pid())))) {
				threads.forEach(time::add);
			}
			catch (IOException | UncheckedIOException ex) {
				// It has ended in the meantime
			}
		}
		return time;
	}

	private void add(Path thread) {
		try {
			boolean compiler = Files.readString(thread.resolve("comm")).contains("CompilerThre");
			(compiler ? this.compilers : this.work).put(thread, nanos(thread));
		}
		catch (IOException ex) {
			// It has ended in the meantime
		}
	}

	private static long nanos(Path thread) throws IOException {
		Path precise = thread.resolve("schedstat");
		if (Files.exists(precise)) {
			String text = Files.readString(precise);
			return Long.parseLong(text.substring(0, text.indexOf(' ')));
		}
		String text = Files.readString(thread.resolve("stat"));
		// Names may contain spaces and parentheses
		String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
		return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * NANOS_OF_A_TICK;
	}

	/**
	 * Returns the CPU time since an earlier reading. The last part of a thread that has
	 * ended in the meantime is unknown.
	 */
	Used since(CpuTime before) {
		return new Used(since(this.work, before.work), since(this.compilers, before.compilers));
	}

	private static long since(Map<Path, Long> now, Map<Path, Long> before) {
		return now.entrySet()
			.stream()
			.mapToLong((thread) -> thread.getValue() - before.getOrDefault(thread.getKey(), 0L))
			.sum();
	}

	/**
	 * CPU time in nanoseconds.
	 *
	 * @param work of all threads except compilers
	 * @param compilers of the threads that compile bytecode
	 */
	record Used(long work, long compilers) {

		Used plus(Used other) {
			return new Used(this.work + other.work, this.compilers + other.compilers);
		}

		double shareOfCompilers() {
			return (double) this.compilers / Math.max(1, this.work + this.compilers);
		}

	}

}
