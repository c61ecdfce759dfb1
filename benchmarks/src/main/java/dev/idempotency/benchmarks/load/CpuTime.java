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
 * The time that the threads of processes have spent on processors, as Linux tells it: in
 * nanoseconds where it keeps them, else in hundredths of a second.
 */
final class CpuTime {

	private static final int NANOS_OF_A_TICK = 10_000_000;

	private final Map<Path, Long> work = new HashMap<>();

	private final Map<Path, Long> compilers = new HashMap<>();

	private CpuTime() {
	}

	/**
	 * Reads what processes have used until now.
	 */
	static CpuTime of(List<ProcessHandle> processes) {
		CpuTime time = new CpuTime();
		for (ProcessHandle process : processes) {
			try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(process.pid())))) {
				threads.forEach(time::add);
			}
			catch (IOException | UncheckedIOException ex) {
				// It has ended meanwhile
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
			// It has ended meanwhile
		}
	}

	private static long nanos(Path thread) throws IOException {
		Path precise = thread.resolve("schedstat");
		if (Files.exists(precise)) {
			String text = Files.readString(precise);
			return Long.parseLong(text.substring(0, text.indexOf(' ')));
		}
		String text = Files.readString(thread.resolve("stat"));
		// Names may have spaces and brackets in them
		String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
		return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * NANOS_OF_A_TICK;
	}

	/**
	 * What was used since. The last of a thread that has ended meanwhile is not known.
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
	 * Nanoseconds on processors.
	 *
	 * @param work of all threads but compilers
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
