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

import dev.idempotency.benchmarks.Servers;
import org.jspecify.annotations.Nullable;

/**
 * An application and its store, which are asked for what they cost.
 *
 * @param name what it is called in tables
 * @param application the application
 * @param store the store, if it is in another process
 * @param kind how the application is protected
 */
record Subject(String name, ApplicationProcess application, Servers.@Nullable Server store, Kind kind) {

	/**
	 * So many keys are asked for again and again, but fewer if their answers are large: a
	 * store in memory would evict some.
	 */
	private static final int KNOWN_KEYS = 500;

	private static final int KNOWN_CHARACTERS = 20_000_000;

	private static final AtomicLong NEXT_KEY = new AtomicLong(System.currentTimeMillis() << 8 & 0xffff_ffff_ffffL);

	/**
	 * Puts a load on it.
	 */
	Round run(Workload workload, int requests) {
		long firstKey = NEXT_KEY.getAndAdd(requests);
		if (workload.kind() == Workload.Kind.REPLAY && this.kind != Kind.WITHOUT) {
			int known = knownKeys(workload);
			firstKey = NEXT_KEY.getAndAdd(known);
			ask(workload.withKind(Workload.Kind.FIRST), known, firstKey);
		}
		long allocated = this.application.allocated();
		Duration cpu = cpu();
		long begin = System.nanoTime();
		ask(workload, requests, firstKey);
		long nanos = System.nanoTime() - begin;
		Duration used = cpu().minus(cpu);
		return new Round((double) used.toNanos() / requests, (double) nanos / requests,
				(double) (this.application.allocated() - allocated) / requests);
	}

	/**
	 * Puts a load on it that is not measured.
	 * @return the time that its compilers worked meanwhile
	 */
	Duration warmUp(Workload workload, int requests) {
		Duration before = this.application.compiled();
		run(workload, requests);
		return this.application.compiled().minus(before);
	}

	private static int knownKeys(Workload workload) {
		return Math.min(KNOWN_KEYS, KNOWN_CHARACTERS / workload.noteLength());
	}

	/**
	 * Has it remember requests.
	 */
	void fill(int records) {
		ask(Workload.of(Workload.Kind.FIRST), records, NEXT_KEY.getAndAdd(records));
	}

	/**
	 * The store, which is of some kind.
	 */
	<T> T store(Class<T> type) {
		return type.cast(Objects.requireNonNull(this.store));
	}

	private Duration cpu() {
		return (this.store != null) ? this.application.cpu().plus(this.store.cpu()) : this.application.cpu();
	}

	private void ask(Workload workload, int requests, long firstKey) {
		AtomicLong next = new AtomicLong();
		Callable<Void> client = () -> {
			try (LoadConnection connection = new LoadConnection(this.application.port())) {
				Workload.Request request = workload.newRequest();
				for (long i = next.getAndIncrement(); i < requests; i = next.getAndIncrement()) {
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
	 * An answer that is not what was measured would make any figure look good.
	 */
	private void requireExpected(Workload workload, LoadConnection.Answer answer) {
		boolean replay = workload.kind() == Workload.Kind.REPLAY && this.kind == Kind.STARTER;
		if (answer.status() != 200 || answer.length() < 150 || answer.replayed() != replay) {
			throw new IllegalStateException("%s answered %s to %s".formatted(this.name, answer, workload));
		}
	}

	/**
	 * How an application is protected.
	 */
	enum Kind {

		/**
		 * Not at all.
		 */
		WITHOUT,

		/**
		 * By hand, with as little as possible.
		 */
		FLOOR,

		/**
		 * By the starter.
		 */
		STARTER

	}

	/**
	 * What a request cost, on average.
	 *
	 * @param cpuNanos processor time of application and store
	 * @param nanos the time that passed
	 * @param bytes that the application allocated
	 */
	record Round(double cpuNanos, double nanos, double bytes) {
	}

}
