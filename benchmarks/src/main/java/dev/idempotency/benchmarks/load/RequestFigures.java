package dev.idempotency.benchmarks.load;

import java.util.List;

import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * Figures of small requests on 8 connections, which most goals are about.
 */
final class RequestFigures {

	private static final Effort EFFORT = new Effort(9, 8_000, 2_000);

	/**
	 * More entries than are ever needed, and a size that fits into the heap.
	 */
	private static final String[] ROOM_FOR_ALL = { "--idempotency.memory.max-entries=100000000",
			"--idempotency.memory.max-size=800MB" };

	private final String java;

	private final Measuring measuring;

	private final Figures figures;

	/**
	 * Create the figures.
	 * @param title their title
	 * @param java the applications' runtime
	 * @param measuring measures them
	 */
	RequestFigures(String title, String java, Measuring measuring) {
		this.figures = new Figures(title);
		this.java = java;
		this.measuring = measuring;
	}

	Figures all() {
		inMemory();
		for (Pair pair : List.of(Pair.REDIS, Pair.POSTGRES)) {
			for (Kind kind : Kind.values()) {
				compare(kind.toString(), pair.goal(kind), this.measuring.open(pair), Workload.of(kind));
			}
		}
		compare("un-annotated handler, after others", Goal.NONE, this.measuring.open(Pair.MEMORY), Workload.plain());
		try (Bench own = new Bench(this.java)) {
			compare("un-annotated handler, alone", Goal.of(0.99, 200), new Subject[] { own.without(), own.onMemory() },
					Workload.plain());
		}
		Subject[] onRedis = this.measuring.open(Pair.REDIS);
		RedisFigures.addTo(this.figures, onRedis[0], onRedis[1]);
		Subject[] onPostgres = this.measuring.open(Pair.POSTGRES);
		PostgresFigures.addTo(this.figures, onPostgres[0], onPostgres[1]);
		return this.figures;
	}

	/**
	 * The figures that need no server.
	 */
	Figures inMemory() {
		Subject[] full = this.measuring.open(Pair.MEMORY);
		try (Bench own = new Bench(this.java)) {
			Subject[] notFull = { full[0], own.onMemory(ROOM_FOR_ALL) };
			compare("first request, store not full", Goal.of(0.88, 3 * 1024), notFull, Workload.of(Kind.FIRST));
			compare("replay, store not full", Goal.of(2), notFull, Workload.of(Kind.REPLAY));
		}
		for (Kind kind : Kind.values()) {
			compare(kind + ", store full", Pair.MEMORY.goal(kind), full, Workload.of(kind));
		}
		try (Bench own = new Bench(this.java)) {
			// The most that can be gained
			Subject map = own.floorInMemory();
			for (Kind kind : Kind.values()) {
				compare(kind.toString(), Goal.NONE, new Subject[] { full[0], map }, Workload.of(kind));
			}
			compare(Kind.REPLAY.toString(), Goal.of(0.90), new Subject[] { map, full[1] }, Workload.of(Kind.REPLAY));
		}
		return this.figures;
	}

	private void compare(String what, Goal goal, Subject[] both, Workload load) {
		this.figures.add(what, goal, this.measuring.compare(both, load, EFFORT));
	}

}
