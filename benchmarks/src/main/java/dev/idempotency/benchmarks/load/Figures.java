package dev.idempotency.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of comparisons, for people and for the guide.
 */
final class Figures {

	private final String title;

	private final List<String> lines = new ArrayList<>();

	Figures(String title) {
		this.title = title;
	}

	/**
	 * Adds a comparison.
	 * @param what what was done
	 * @param goal what the ratio should be, or an empty text
	 * @param comparison what came of it
	 */
	void add(String what, String goal, Comparison comparison) {
		String line = String.format(Locale.ROOT, "| %s | %s | %s | %s | %.0f / %.0f | %s | %s |", what,
				comparison.names(), comparison.cpuRatio(), goal, comparison.micros(), comparison.baseMicros(),
				comparison.timeRatio(), comparison.moreBytes());
		System.out.println(line);
		this.lines.add(line);
	}

	/**
	 * The table in Markdown.
	 */
	String toMarkdown() {
		List<String> text = new ArrayList<>(List.of("### " + this.title, "",
				"| what | compared | CPU ratio | goal | µs of CPU | time ratio | bytes more |",
				"|---|---|---|---|---|---|---|"));
		text.addAll(this.lines);
		return String.join("\n", text) + "\n";
	}

}
