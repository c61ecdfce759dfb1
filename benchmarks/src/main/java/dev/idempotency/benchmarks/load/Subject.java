package dev.idempotency.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

import dev.idempotency.benchmarks.Servers;
import org.jspecify.annotations.Nullable;

/**
 * An application and its store, whose cost is measured.
 *
 * @param name its name in tables
 * @param application the application
 * @param store the store, if it is in another process
 * @param kind how the application is protected
 */
record Subject(String name, ApplicationProcess application, Servers.@Nullable Server store, Kind kind) {

	/**
	 * The number of keys that are replayed. It is lower if their responses are large,
	 * since a store in memory would evict some.
	 */
	private static final int KNOWN_KEYS = 500;

	private static final int KNOWN_CHARACTERS = 20_000_000;

	/**
	 * More keys than a timed run can use.
	 */
	private static final int KEYS_OF_A_WHILE = 10_000_000;

	private static final AtomicLong NEXT_KEY = new AtomicLong(System.currentTimeMillis() << 8 & 0xffff_ffff_ffffL);

	/**
	 * Runs a number of requests.
	 */
	Round run(Workload workload, int requests) {
		long firstKey = keysFor(workload, requests);
		long allocated = this.application.allocated();
		CpuTime cpu = cpu();
		long begin = System.nanoTime();
		ask(workload, (request) -> request < requests, firstKey);
		long nanos = System.nanoTime() - begin;
		CpuTime.Used used = cpu().since(cpu);
		return new Round((double) used.work() / requests, (double) used.compilers() / requests,
				(double) nanos / requests, (double) (this.application.allocated() - allocated) / requests);
	}

	/**
	 * Runs requests for some time.
	 * @return the CPU time that was used
	 */
	CpuTime.Used run(Workload workload, Duration time) {
		long firstKey = keysFor(workload, KEYS_OF_A_WHILE);
		CpuTime cpu = cpu();
		long begin = System.nanoTime();
		ask(workload, (request) -> System.nanoTime() - begin < time.toNanos(), firstKey);
		return cpu().since(cpu);
	}

	/**
	 * Reserves new keys, and completes them if the load replays them.
	 */
	private long keysFor(Workload workload, int requests) {
		if (workload.kind() == Workload.Kind.FIRST || this.kind == Kind.WITHOUT) {
			return NEXT_KEY.getAndAdd(requests);
		}
		int known = knownKeys(workload);
		long firstKey = NEXT_KEY.getAndAdd(known);
		ask(workload.withKind(Workload.Kind.FIRST), (request) -> request < known, firstKey);
		return firstKey;
	}

	private static int knownKeys(Workload workload) {
		return Math.min(KNOWN_KEYS, KNOWN_CHARACTERS / Math.max(1, workload.noteLength()));
	}

	/**
	 * Fills the store with requests.
	 */
	void fill(int records) {
		ask(Workload.of(Workload.Kind.FIRST), (request) -> request < records, NEXT_KEY.getAndAdd(records));
	}

	/**
	 * Returns the store, as a type.
	 */
	<T> T store(Class<T> type) {
		return type.cast(Objects.requireNonNull(this.store));
	}

	private CpuTime cpu() {
		Stream<ProcessHandle> processes = Stream.of(this.application.pid());
		if (this.store != null) {
			processes = Stream.concat(processes, this.store.processes());
		}
		return CpuTime.of(processes.toList());
	}

	private void ask(Workload workload, LongPredicate more, long firstKey) {
		AtomicLong next = new AtomicLong();
		Callable<Void> client = () -> {
			try (LoadConnection connection = new LoadConnection(this.application.port())) {
				Workload.Request request = workload.newRequest();
				for (long i = next.getAndIncrement(); more.test(i); i = next.getAndIncrement()) {
					long key = (workload.kind() == Workload.Kind.REPLAY) ? i % knownKeys(workload) : i;
					requireExpected(workload, connection.ask(request.withKey(firstKey + key)));
				}
				return null;
			}
		};
		ExecutorService clients = Executors.newFixedThreadPool(workload.connections());
		try {
			List<Future<Void>> running = new ArrayList<>();
			for (int i = 0; i < workload.connections(); i++) {
				running.add(clients.submit(client));
			}
			for (Future<Void> each : running) {
				each.get();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(this.name + " failed under load", ex.getCause());
		}
		finally {
			clients.shutdownNow();
		}
	}

	/**
	 * Checks that a response is of the kind that is measured.
	 */
	private void requireExpected(Workload workload, LoadConnection.Answer answer) {
		boolean replay = workload.kind() == Workload.Kind.REPLAY && this.kind == Kind.STARTER;
		if (answer.status() != 200 || answer.length() < 150 || answer.replayed() != replay) {
			throw new IllegalStateException("%s responded with %s to %s".formatted(this.name, answer, workload));
		}
	}

	/**
	 * How an application is protected.
	 */
	enum Kind {

		/**
		 * Not protected.
		 */
		WITHOUT,

		/**
		 * Protected by hand, with a minimum of code.
		 */
		FLOOR,

		/**
		 * Protected by the starter.
		 */
		STARTER

	}

	/**
	 * The average cost of a request.
	 *
	 * @param cpuNanos CPU time of application and store, without compilers
	 * @param compilerNanos CPU time of the application's compilers
	 * @param nanos the elapsed time
	 * @param bytes the bytes that the application allocated
	 */
	record Round(double cpuNanos, double compilerNanos, double nanos, double bytes) {
	}

}
