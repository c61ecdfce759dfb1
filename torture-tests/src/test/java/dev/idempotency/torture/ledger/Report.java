package dev.idempotency.torture.ledger;

import java.nio.file.Path;
import java.util.List;

import dev.idempotency.torture.ledger.Fault.Kind;
import dev.idempotency.torture.ledger.Journal.Entry;

/**
 * What came of a run.
 *
 * @param figures what was asked for and what went wrong
 * @param traces what the journal says of single keys
 * @param folder where the journal and the logs are
 */
record Report(TortureOptions options, List<Long> figures, List<Violation> violations, List<Trace> traces, Path folder) {

	private static final List<String> TITLES = List.of("requests", "keys", "retries", "replays", "unanswered", "kills",
			"pauses", "restarts", "store pauses", "failovers", "store cuts", "stalls", "slow", "client cuts",
			"takeovers", "unstored", "effects");

	private static final String TITLE = "%-24s %-20s";

	static Report of(TortureOptions options, ClientLog log, Disturbances disturbances, int cuts, Facts facts,
			Path folder) {
		long takeovers = facts.lines(Entry.GRANTED).stream().filter((line) -> line.number(2) > 1).count();
		long effects = facts.effects().values().stream().mapToLong(List::size).sum();
		List<Long> figures = List.of((long) log.requests.get(), (long) log.keys().size(), (long) log.retries.get(),
				(long) log.replays.get(), (long) log.unanswered.get(), (long) disturbances.count(Kind.KILL),
				(long) disturbances.count(Kind.PAUSE), (long) disturbances.count(Kind.RESTART_STORE),
				(long) disturbances.count(Kind.PAUSE_STORE), (long) disturbances.count(Kind.FAIL_OVER),
				(long) disturbances.count(Kind.CUT_STORE), (long) disturbances.count(Kind.STALL_STORE),
				(long) disturbances.count(Kind.SLOW_STORE), (long) cuts, takeovers,
				(long) facts.lines(Entry.UNSTORED).size(), effects);
		return new Report(options, figures, Checker.check(facts), Trace.of(facts.journal()), folder);
	}

	static String titles() {
		StringBuilder line = new StringBuilder(TITLE.formatted("store", "seed"));
		TITLES.forEach((title) -> line.append(" | ").append(title));
		return line.append(" | violations").toString();
	}

	String line() {
		StringBuilder line = new StringBuilder(TITLE.formatted(this.options.name(), this.options.seed()));
		for (int i = 0; i < TITLES.size(); i++) {
			line.append(" | ").append(("%" + TITLES.get(i).length() + "d").formatted(this.figures.get(i)));
		}
		return line.append(" | %10d".formatted(this.violations.size())).toString();
	}

	/**
	 * Some violations of each kind, if there are any, and how to see them again.
	 */
	String story() {
		StringBuilder story = new StringBuilder();
		for (Violation.Kind kind : Violation.Kind.values()) {
			List<Violation> found = this.violations.stream().filter((violation) -> violation.kind() == kind).toList();
			if (!found.isEmpty()) {
				story.append("%s: %d%n".formatted(kind, found.size()));
				found.stream()
					.limit(3)
					.forEach((violation) -> story.append("  %s: %s%n".formatted(violation.key(), violation.story())));
			}
		}
		return story
			.append("The journal and the logs are in %s%nAgain: %s".formatted(this.folder,
					TortureRun.command(this.options)))
			.toString();
	}

}
