package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tortures every store, or the one that is named, and says what came of it. Settings:
 * {@code torture.store} (all eight), {@code torture.minutes} in all (30),
 * {@code torture.seed}, {@code torture.instances} (3, and 2 in the short form),
 * {@code torture.bugs} (none).
 */
public final class TortureRun {

	static final List<String> STORES = List.of("memory", "redis", "redis-cluster", "postgres", "postgres-tenants",
			"postgres-transactional", "postgres-serializable", "postgres-starved");

	private TortureRun() {
	}

	public static void main(String[] args) {
		List<Report> reports = wanted(STORES, 30 * 60).stream().map(TortureRun::run).toList();
		System.exit(reports.stream().allMatch((report) -> report.violations().isEmpty()) ? 0 : 1);
	}

	/**
	 * What the settings ask for.
	 * @param named which stores, unless they say so
	 * @param seconds how long it takes in all, unless they say so
	 */
	static List<TortureOptions> wanted(List<String> named, int seconds) {
		String store = System.getProperty("torture.store", "");
		List<String> stores = store.isEmpty() ? named : List.of(store.split(",", -1));
		String minutes = System.getProperty("torture.minutes");
		double millis = (minutes != null) ? Double.parseDouble(minutes) * 60_000 : seconds * 1000.0;
		Duration each = Duration.ofMillis((long) (millis / stores.size()));
		long seed = Long.getLong("torture.seed", System.nanoTime());
		return stores.stream().map((name) -> TortureOptions.of(name, each, seed).with(bugs())).toList();
	}

	private static List<PlantedBug> bugs() {
		String bugs = System.getProperty("torture.bugs", "");
		return bugs.isEmpty() ? List.of() : Stream.of(bugs.split(",", -1)).map(PlantedBug::named).toList();
	}

	/**
	 * Runs, and says what came of it.
	 */
	static Report run(TortureOptions options) {
		Report report = Torture.run(options);
		System.out.println(Report.titles());
		System.out.println(report.line());
		if (!report.violations().isEmpty()) {
			System.out.println(report.story());
		}
		return report;
	}

	/**
	 * What to type in to have the same again.
	 */
	static String command(TortureOptions options) {
		String bugs = options.bugs().stream().map(PlantedBug::label).collect(Collectors.joining(","));
		return ("mvn verify -pl torture-tests -am -Djacoco.skip -Dsurefire.failIfNoSpecifiedTests=false "
				+ "-Dtest=TortureTests -Dtorture.store=%s -Dtorture.minutes=%s -Dtorture.seed=%d -Dtorture.instances=%d%s")
			.formatted(options.name(), options.lasting().toMillis() / 60_000.0, options.seed(), options.instances(),
					bugs.isEmpty() ? "" : " -Dtorture.bugs=" + bugs);
	}

}
