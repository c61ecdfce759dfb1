package dev.idempotency.benchmarks.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * The parts of the measurements, each of which varies one thing.
 */
final class Parts implements AutoCloseable {

	private static final int VIRTUAL_THREADS_SINCE = 21;

	private static final String VIRTUAL_THREADS = "--spring.threads.virtual.enabled=true";

	/**
	 * On Reactor Netty, although Tomcat is on the class path, too.
	 */
	static final String[] WEBFLUX = { "--spring.main.web-application-type=reactive",
			"--spring.autoconfigure.exclude=org.springframework.boot.tomcat.autoconfigure.reactive.TomcatReactiveWebServerAutoConfiguration" };

	private static final Effort SHORTER = new Effort(5, 3_000, 1_000);

	private static final int KILOBYTES = 10_000;

	private static final int MEGABYTE = 1_000_000;

	private static final int STARTS = 5;

	/**
	 * An application that is not warm after so many seconds counts as warm.
	 */
	private static final int LONGEST_WARM_UP = 300;

	private static final int[] SIZES = { 1_000, 100_000, 1_000_000 };

	private final String java;

	private final String javaWithVirtualThreads;

	private final Measuring measuring;

	/**
	 * Create the parts.
	 * @param java the applications' runtime
	 * @param javaWithVirtualThreads the runtime of those with virtual threads
	 * @param share the share of the whole effort, in percent
	 */
	Parts(String java, String javaWithVirtualThreads, int share) {
		this.java = java;
		this.javaWithVirtualThreads = javaWithVirtualThreads;
		this.measuring = new Measuring(java, share);
	}

	/**
	 * The figures with most of the goals.
	 */
	Figures requests() {
		return new RequestFigures("Requests", this.java, this.measuring).all();
	}

	/**
	 * The figures of requests that need no server.
	 */
	Figures memory() {
		return new RequestFigures("Requests in memory", this.java, this.measuring).inMemory();
	}

	/**
	 * How long the warm-up takes, in a new application each time.
	 */
	Figures warmUps() {
		List<Double> with = new ArrayList<>();
		List<Double> without = new ArrayList<>();
		int starts = this.measuring.times(STARTS);
		for (int i = 0; i < starts; i++) {
			without.add(secondsToWarmUp(Bench::without));
			with.add(secondsToWarmUp(Bench::onMemory));
		}
		Spread ours = Spread.of(with);
		Spread theirs = Spread.of(without);
		Figures figures = new Figures("Warm-up, first requests from the start");
		figures.add("seconds until compilers use less than 2 %% of the CPU, median of %d".formatted(starts),
				ours.median(), theirs.median(), Bar.NONE);
		figures.add("the lower quartile of these seconds", ours.low(), theirs.low(), Bar.NONE);
		figures.add("the upper quartile of these seconds", ours.high(), theirs.high(), Bar.NONE);
		figures.add("their medians in relation", ours.median() / theirs.median(), 1, Bar.atMost(1.5, ""));
		return figures;
	}

	private double secondsToWarmUp(Function<Bench, Subject> start) {
		try (Bench own = new Bench(this.java)) {
			return WarmUp.run(start.apply(own), Workload.of(Kind.FIRST), LONGEST_WARM_UP);
		}
	}

	/**
	 * With few clients and many.
	 */
	Figures connections() {
		Figures figures = new Figures("Connections");
		for (Pair pair : Pair.values()) {
			for (Kind kind : Kind.values()) {
				for (int connections : new int[] { 1, 8, 32, 128 }) {
					figures.add("%s, %d at a time".formatted(kind, connections), Goal.NONE, this.measuring
						.compare(this.measuring.open(pair), Workload.of(kind).withConnections(connections), SHORTER));
				}
			}
		}
		return figures;
	}

	/**
	 * With virtual threads.
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
					figures.add(kind.toString(), Goal.NONE,
							this.measuring.compare(both, Workload.of(kind).withConnections(32), SHORTER));
				}
			}
		}
		return figures;
	}

	/**
	 * The same handlers on WebFlux, compared with themselves without protection.
	 */
	Figures webFlux() {
		Figures figures = new Figures("WebFlux on Reactor Netty, against the same without protection");
		try (Bench own = new Bench(this.java)) {
			Subject without = own.without(WEBFLUX);
			List<Subject> subjects = List.of(own.onMemory(WEBFLUX), own.onRedis(own.redis(), WEBFLUX),
					own.onPostgres(own.postgres(), WEBFLUX));
			for (Subject subject : subjects) {
				for (Kind kind : Kind.values()) {
					figures.add(kind.toString(), Goal.NONE,
							this.measuring.compare(new Subject[] { without, subject }, Workload.of(kind), SHORTER));
				}
			}
		}
		return figures;
	}

	/**
	 * With larger requests and responses.
	 */
	Figures bodies() {
		Figures figures = new Figures("Bodies");
		Effort fewer = new Effort(5, 2_000, 1_000);
		Effort few = new Effort(5, 60, 20);
		for (Pair pair : Pair.values()) {
			for (Kind kind : Kind.values()) {
				Subject[] both = this.measuring.open(pair);
				figures.add(kind + ", 10 KB", pair.goalOf10KB(kind),
						this.measuring.compare(both, Workload.of(kind).withNote(KILOBYTES), fewer));
				figures.add(kind + ", 1 MB", pair.goalOf1MB(kind),
						this.measuring.compare(both, Workload.of(kind).withNote(MEGABYTE).withConnections(2), few));
			}
		}
		try (Bench own = new Bench(this.java)) {
			Servers.Redis server = own.redis();
			Subject[] both = { own.floorOnRedis(server, "--load.floor.note=" + KILOBYTES), own.onRedis(server) };
			figures.add("replay, 10 KB, and the floor answers with as much", Goal.NONE,
					this.measuring.compare(both, Workload.of(Kind.REPLAY).withNote(KILOBYTES), fewer));
		}
		return figures;
	}

	/**
	 * With large stores, compared with the same store with few records. First requests
	 * make the small one grow a little, except in memory. A million results need more
	 * than the usual heap.
	 */
	Figures storeSizes() {
		Figures figures = new Figures("Store sizes, against 10^3 records, 2 GB of heap");
		for (Filling filling : Filling.values()) {
			try (Bench own = new Bench(this.java, List.of("-Xms2g", "-Xmx2g"))) {
				Subject[] subjects = Arrays.stream(SIZES)
					.mapToObj((size) -> filling.open(own, size))
					.toArray(Subject[]::new);
				for (Kind kind : Kind.values()) {
					for (Subject subject : subjects) {
						this.measuring.warmUp(subject, Workload.of(kind));
					}
				}
				for (int i = 0; i < SIZES.length; i++) {
					filling.fill(subjects[i], SIZES[i]);
				}
				for (int i = 1; i < SIZES.length; i++) {
					Subject[] both = { subjects[0], subjects[i] };
					for (Kind kind : Kind.values()) {
						figures.add(String.format(Locale.ROOT, "%s, %,d records", kind, SIZES[i]), Goal.of(0.91),
								this.measuring.compare(both, Workload.of(kind), new Effort(7, 4_000, 2_000)));
					}
				}
			}
		}
		return figures;
	}

	@Override
	public void close() {
		this.measuring.close();
	}

}
