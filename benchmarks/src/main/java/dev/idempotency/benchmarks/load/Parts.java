package dev.idempotency.benchmarks.load;

import java.util.List;
import java.util.Locale;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * What is measured: one thing is changed at a time.
 */
final class Parts {

	private static final int VIRTUAL_THREADS_SINCE = 21;

	private static final String VIRTUAL_THREADS = "--spring.threads.virtual.enabled=true";

	/**
	 * So many requests later, the compilers of an application are done.
	 */
	private static final int WARM = 150_000;

	private final String java;

	private final String javaWithVirtualThreads;

	private final int share;

	/**
	 * Create the parts.
	 * @param java the applications' runtime
	 * @param javaWithVirtualThreads the runtime of those with virtual threads
	 * @param share how much of the whole effort to make, in percent
	 */
	Parts(String java, String javaWithVirtualThreads, int share) {
		this.java = java;
		this.javaWithVirtualThreads = javaWithVirtualThreads;
		this.share = share;
	}

	private Effort effort(int rounds, int requests, int warmUp) {
		return new Effort(rounds, Math.max(20, requests * this.share / 100), Math.max(20, warmUp * this.share / 100));
	}

	/**
	 * The figures that are compared with the goals.
	 */
	Figures requests() {
		Figures figures = new Figures("Requests");
		Effort effort = effort(9, 10_000, WARM);
		try (Bench bench = new Bench(this.java)) {
			Subject without = bench.without();
			Subject memory = bench.onMemory();
			figures.add("un-annotated handler", "≥ 0.99", compare(without, memory, Workload.plain(), effort));
			figures.add("first request", "≥ 0.92", compare(without, memory, Workload.of(Kind.FIRST), effort));
			figures.add("replay, against running the handler", "≥ 2.2",
					compare(without, memory, Workload.of(Kind.REPLAY), effort));
		}
		for (Pair pair : List.of(Pair.REDIS, Pair.POSTGRES)) {
			try (Bench bench = new Bench(this.java)) {
				Subject[] both = pair.open(bench);
				for (Kind kind : Kind.values()) {
					figures.add(nameOf(kind), "≥ 0.95", compare(both[0], both[1], Workload.of(kind), effort));
				}
			}
		}
		return figures;
	}

	/**
	 * With few clients and many.
	 */
	Figures connections() {
		Figures figures = new Figures("Connections");
		for (Pair pair : Pair.values()) {
			try (Bench bench = new Bench(this.java)) {
				Subject[] both = pair.open(bench);
				for (Kind kind : Kind.values()) {
					Workload load = Workload.of(kind);
					compare(both[0], both[1], load, effort(1, 1000, WARM));
					for (int connections : new int[] { 1, 8, 32, 128 }) {
						figures.add("%s, %d connections".formatted(nameOf(kind), connections), "",
								compare(both[0], both[1], load.withConnections(connections), effort(5, 4_000, 2_000)));
					}
				}
			}
		}
		return figures;
	}

	/**
	 * With a virtual thread for each request.
	 */
	Figures virtualThreads() {
		Figures figures = new Figures("Virtual threads of Java %d, 32 connections"
			.formatted(Machine.javaFeature(this.javaWithVirtualThreads)));
		if (Machine.javaFeature(this.javaWithVirtualThreads) < VIRTUAL_THREADS_SINCE) {
			System.out
				.println("Left out: this runtime has no virtual threads (-Dload.virtual.java= names another one)");
			return figures;
		}
		for (Pair pair : Pair.values()) {
			try (Bench bench = new Bench(this.javaWithVirtualThreads)) {
				Subject[] both = pair.open(bench, VIRTUAL_THREADS);
				for (Kind kind : Kind.values()) {
					figures.add(nameOf(kind), "",
							compare(both[0], both[1], Workload.of(kind).withConnections(32), effort(5, 4_000, WARM)));
				}
			}
		}
		return figures;
	}

	/**
	 * With larger requests, whose answers are as large.
	 */
	Figures bodies() {
		Figures figures = new Figures("Bodies");
		for (Pair pair : Pair.values()) {
			try (Bench bench = new Bench(this.java)) {
				Subject[] both = pair.open(bench);
				for (Kind kind : Kind.values()) {
					compare(both[0], both[1], Workload.of(kind), effort(1, 1000, WARM / 3));
					figures.add(nameOf(kind) + ", 10 KB", "",
							compare(both[0], both[1], Workload.of(kind).withNote(10_000), effort(5, 2_000, 10_000)));
					figures.add(nameOf(kind) + ", 1 MB", "", compare(both[0], both[1],
							Workload.of(kind).withNote(1_000_000).withConnections(2), effort(5, 60, 200)));
				}
			}
		}
		return figures;
	}

	/**
	 * With stores that hold much, beside the same store with little in it. First requests
	 * make the small one grow a little.
	 */
	Figures storeSizes() {
		Figures figures = new Figures("Store sizes, against 10^3 records");
		Effort effort = effort(7, 5_000, WARM / 2);
		for (Filling filling : Filling.values()) {
			for (int size : filling.sizes()) {
				try (Bench bench = new Bench(this.java)) {
					Subject small = filling.open(bench, 1_000);
					Subject large = filling.open(bench, size);
					for (Kind kind : Kind.values()) {
						figures.add(String.format(Locale.ROOT, "%s, %,d records", nameOf(kind), size), "≥ 0.91",
								compare(small, large, Workload.of(kind), effort));
					}
				}
			}
		}
		return figures;
	}

	private static String nameOf(Kind kind) {
		return (kind == Kind.FIRST) ? "first request" : "replay";
	}

	private static Comparison compare(Subject base, Subject subject, Workload load, Effort effort) {
		return Comparison.of(base, load, subject, load, effort);
	}

	/**
	 * What the starter is compared with on a store.
	 */
	private enum Pair {

		MEMORY {
			@Override
			Subject[] open(Bench bench, String... settings) {
				return new Subject[] { bench.without(settings), bench.onMemory(settings) };
			}
		},

		REDIS {
			@Override
			Subject[] open(Bench bench, String... settings) {
				Servers.Redis server = bench.redis();
				return new Subject[] { bench.floorOnRedis(server, settings), bench.onRedis(server, settings) };
			}
		},

		POSTGRES {
			@Override
			Subject[] open(Bench bench, String... settings) {
				Servers.Postgres server = bench.postgres();
				return new Subject[] { bench.floorOnPostgres(server, settings), bench.onPostgres(server, settings) };
			}
		};

		/**
		 * Starts both: first what it is compared with.
		 */
		abstract Subject[] open(Bench bench, String... settings);

	}

}
