package dev.idempotency.benchmarks.load;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * Measures applications that are warmed up. Pairs of them are reused for further
 * measurements.
 */
final class Measuring implements AutoCloseable {

	/**
	 * The maximum of seconds under load before measuring.
	 */
	private static final int WARM_UP_SECONDS = 90;

	private static final int LEAST_WARM_UP_SECONDS = 20;

	/**
	 * From this share on, applications are fully warmed up. A smaller share is for trying
	 * a change.
	 */
	private static final int WARM_SHARE = 25;

	/**
	 * The minimum of small requests in a meaningful round.
	 */
	private static final int LEAST_REQUESTS = 1_000;

	private final int share;

	private final Bench bench;

	private final Map<Pair, Subject[]> pairs = new EnumMap<>(Pair.class);

	private final Set<Warm> warm = new HashSet<>();

	/**
	 * Create an instance.
	 * @param java the applications' runtime
	 * @param share the share of the whole effort, in percent
	 */
	Measuring(String java, int share) {
		this.share = share;
		this.bench = new Bench(java);
	}

	/**
	 * Returns how often to repeat something that takes long.
	 */
	int times(int most) {
		return Math.max(1, most * this.share / 100);
	}

	Subject[] open(Pair pair) {
		return this.pairs.computeIfAbsent(pair, (key) -> key.open(this.bench));
	}

	/**
	 * Compares, after a warm-up with the load that is measured. Another load, also one
	 * with more clients, would compile other paths.
	 */
	Comparison compare(Subject[] both, Workload load, Effort effort) {
		for (Subject subject : both) {
			warmUp(subject, load);
		}
		return Comparison.of(both[0], load, both[1], load,
				new Effort(effort.rounds(), shareOf(effort.requests()), shareOf(effort.warmUp())));
	}

	void warmUp(Subject subject, Workload load) {
		// Without protection, all requests are the same
		Workload seen = (subject.kind() == Subject.Kind.WITHOUT) ? load.withKind(Kind.FIRST) : load;
		if (this.warm.add(new Warm(subject, seen))) {
			WarmUp.run(subject, seen, Math.max(LEAST_WARM_UP_SECONDS,
					Math.min(WARM_UP_SECONDS, WARM_UP_SECONDS * this.share / WARM_SHARE)));
		}
	}

	private int shareOf(int requests) {
		return Math.max(Math.min(requests, LEAST_REQUESTS), requests * this.share / 100);
	}

	@Override
	public void close() {
		this.bench.close();
	}

	/**
	 * A subject and the load that it was warmed up with.
	 */
	private record Warm(Subject subject, Workload load) {
	}

}
