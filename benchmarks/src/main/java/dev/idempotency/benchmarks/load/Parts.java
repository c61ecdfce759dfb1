package dev.idempotency.benchmarks.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * What is measured: one thing is changed at a time.
 */
final class Parts implements AutoCloseable {

	private static final int VIRTUAL_THREADS_SINCE = 21;

	private static final String VIRTUAL_THREADS = "--spring.threads.virtual.enabled=true";

	private static final int WARM_UP_REQUESTS = 40_000;

	private static final int MOST_WARM_UPS = 16;

	/**
	 * An application is warm when its compilers work less than so for a request.
	 */
	private static final Duration COMPILED = Duration.ofNanos(1_000);

	private static final int[] SIZES = { 1_000, 100_000, 1_000_000 };

	private final String java;

	private final String javaWithVirtualThreads;

	private final int share;

	private final Bench bench;

	private final Map<Pair, Subject[]> pairs = new EnumMap<>(Pair.class);

	private final Set<String> warm = new HashSet<>();

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
		this.bench = new Bench(java);
	}

	/**
	 * The figures that are compared with the goals.
	 */
	Figures requests() {
		Figures figures = new Figures("Requests");
		Effort effort = effort(9, 8_000, 2_000);
		for (Pair pair : Pair.values()) {
			for (Kind kind : Kind.values()) {
				Subject[] both = warm(pair, kind);
				figures.add(nameOf(kind), pair.goal(kind), compare(both, Workload.of(kind), effort));
			}
		}
		// What there is to be gained at most
		Subject[] byHand = { warm(Pair.MEMORY, Kind.FIRST)[0], this.bench.floorInMemory() };
		for (Kind kind : Kind.values()) {
			warmUp(new Subject[] { byHand[1] }, Workload.of(kind));
			figures.add(nameOf(kind), "", compare(byHand, Workload.of(kind), effort));
		}
		Subject[] afterOthers = warm(Pair.MEMORY, Kind.FIRST);
		warmUp(afterOthers, Workload.plain());
		figures.add("un-annotated handler, after others", "", compare(afterOthers, Workload.plain(), effort));
		try (Bench own = new Bench(this.java)) {
			Subject[] both = Pair.MEMORY.open(own);
			warmUp(both, Workload.plain());
			figures.add("un-annotated handler, alone", "≥ 0.99", compare(both, Workload.plain(), effort));
		}
		return figures;
	}

	/**
	 * With few clients and many.
	 */
	Figures connections() {
		Figures figures = new Figures("Connections");
		for (Pair pair : Pair.values()) {
			for (Kind kind : Kind.values()) {
				Subject[] both = warm(pair, kind);
				for (int connections : new int[] { 1, 8, 32, 128 }) {
					Workload load = Workload.of(kind).withConnections(connections);
					warmUp(both, load);
					figures.add("%s, %d at a time".formatted(nameOf(kind), connections), "",
							compare(both, load, effort(5, 3_000, 1_000)));
				}
			}
		}
		return figures;
	}

	/**
	 * With a virtual thread for each request.
	 */
	Figures virtualThreads() {
		int feature = Machine.javaFeature(this.javaWithVirtualThreads);
		Figures figures = new Figures("Virtual threads of Java %d, 32 connections".formatted(feature));
		if (feature < VIRTUAL_THREADS_SINCE) {
			System.out
				.println("Left out: this runtime has no virtual threads (-Dload.virtual.java= names another one)");
			return figures;
		}
		for (Pair pair : Pair.values()) {
			try (Bench own = new Bench(this.javaWithVirtualThreads)) {
				Subject[] both = pair.open(own, VIRTUAL_THREADS);
				for (Kind kind : Kind.values()) {
					Workload load = Workload.of(kind).withConnections(32);
					warmUp(both, load);
					figures.add(nameOf(kind), "", compare(both, load, effort(5, 3_000, 1_000)));
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
			for (Kind kind : Kind.values()) {
				Subject[] both = warm(pair, kind);
				figures.add(nameOf(kind) + ", 10 KB", "",
						compare(both, Workload.of(kind).withNote(10_000), effort(5, 2_000, 8_000)));
				figures.add(nameOf(kind) + ", 1 MB", "",
						compare(both, Workload.of(kind).withNote(1_000_000).withConnections(2), effort(5, 60, 200)));
			}
		}
		return figures;
	}

	/**
	 * With stores that hold much, beside the same store with little in it. First requests
	 * make the small one grow a little, but not in memory.
	 */
	Figures storeSizes() {
		Figures figures = new Figures("Store sizes, against 10^3 records");
		for (Filling filling : Filling.values()) {
			try (Bench own = new Bench(this.java)) {
				Subject[] subjects = Arrays.stream(SIZES)
					.mapToObj((size) -> filling.open(own, size))
					.toArray(Subject[]::new);
				for (Kind kind : Kind.values()) {
					warmUp(subjects, Workload.of(kind));
				}
				for (int i = 0; i < SIZES.length; i++) {
					filling.fill(subjects[i], SIZES[i]);
				}
				for (int i = 1; i < SIZES.length; i++) {
					Subject[] both = { subjects[0], subjects[i] };
					for (Kind kind : Kind.values()) {
						figures.add(String.format(Locale.ROOT, "%s, %,d records", nameOf(kind), SIZES[i]), "≥ 0.91",
								compare(both, Workload.of(kind), effort(7, 4_000, 2_000)));
					}
				}
			}
		}
		return figures;
	}

	/**
	 * A pair that has nothing left to compile. It is kept for what else is measured.
	 */
	private Subject[] warm(Pair pair, Kind kind) {
		Subject[] both = this.pairs.computeIfAbsent(pair, (key) -> key.open(this.bench));
		if (this.warm.add(pair.name() + kind)) {
			warmUp(both, Workload.of(kind));
		}
		return both;
	}

	/**
	 * Puts a load on applications, in turns, until their compilers have little left to
	 * do. It is the load that is measured: with other clients, in number too, other paths
	 * are taken, and those are compiled then.
	 */
	private void warmUp(Subject[] subjects, Workload load) {
		int requests = shareOf(WARM_UP_REQUESTS);
		boolean warm = false;
		for (int i = 0; i < MOST_WARM_UPS && !warm; i++) {
			warm = true;
			for (Subject subject : subjects) {
				Duration compiled = subject.warmUp(load, requests);
				warm &= compiled.compareTo(COMPILED.multipliedBy(requests)) < 0;
			}
		}
	}

	private Effort effort(int rounds, int requests, int warmUp) {
		return new Effort(rounds, shareOf(requests), shareOf(warmUp));
	}

	private int shareOf(int requests) {
		return Math.max(20, requests * this.share / 100);
	}

	private static String nameOf(Kind kind) {
		return (kind == Kind.FIRST) ? "first request" : "replay";
	}

	private static Comparison compare(Subject[] both, Workload load, Effort effort) {
		return Comparison.of(both[0], load, both[1], load, effort);
	}

	@Override
	public void close() {
		this.bench.close();
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

			@Override
			String goal(Kind kind) {
				return (kind == Kind.FIRST) ? "≥ 0.92" : "≥ 2.2";
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

		String goal(Kind kind) {
			return "≥ 0.95";
		}

	}

}
