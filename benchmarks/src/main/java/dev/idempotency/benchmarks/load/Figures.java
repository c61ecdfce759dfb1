package dev.idempotency.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of comparisons and a table of counts, in Markdown, for the console and the
 * guide.
 */
final class Figures {

	private final String title;

	private final List<String> comparisons = new ArrayList<>();

	private final List<String> counts = new ArrayList<>();

	Figures(String title) {
		this.title = title;
	}

	/**
	 * Adds a comparison.
	 * @param what what was done
	 * @param goal the goal
	 * @param comparison the result
	 */
	void add(String what, Goal goal, Comparison comparison) {
		keep(this.comparisons,
				String.format(Locale.ROOT, "| %s | %s | %s | %s | %s | %.0f / %.0f | %.1f / %.1f | %s | %s |", what,
						comparison.names(), comparison.cpuRatio(), goal, goal.verdict(comparison), comparison.micros(),
						comparison.baseMicros(), comparison.compilerMicros(), comparison.baseCompilerMicros(),
						comparison.timeRatio(), comparison.moreBytes()));
	}

	/**
	 * Adds a count.
	 * @param what what was counted
	 * @param ours the count of the starter
	 * @param theirs the count of the other subject
	 * @param bar the limit of ours
	 */
	void add(String what, double ours, double theirs, Bar bar) {
		keep(this.counts, String.format(Locale.ROOT, "| %s | %.1f | %.1f | %s | %s |", what, ours, theirs, bar,
				bar.verdict(ours)));
	}

	private static void keep(List<String> lines, String line) {
		System.out.println(line);
		lines.add(line);
	}

	/**
	 * Returns the tables in Markdown.
	 */
	String toMarkdown() {
		List<String> text = new ArrayList<>(List.of("### " + this.title, ""));
		if (!this.comparisons.isEmpty()) {
			text.add("| what | compared | CPU ratio | goal | reached | µs of CPU | µs of compilers | time ratio "
					+ "| bytes more |");
			text.add("|---|---|---|---|---|---|---|---|---|");
			text.addAll(this.comparisons);
			text.add("");
		}
		if (!this.counts.isEmpty()) {
			text.add("| counted | starter | compared with | goal | reached |");
			text.add("|---|---|---|---|---|");
			text.addAll(this.counts);
			text.add("");
		}
		return String.join("\n", text);
	}

}
