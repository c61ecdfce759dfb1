package dev.idempotency.benchmarks.sizing;

import java.util.Locale;

/**
 * Prints what was measured as it becomes known, beside what the formula says.
 */
final class Report {

	private final String store;

	private final int records;

	private final int answer;

	Report(String store, int records, int answer) {
		this.store = store;
		this.records = records;
		this.answer = answer;
	}

	/**
	 * A line of a table.
	 * @param what what was measured
	 * @param measured what it came to
	 * @param reckoned what the formula says
	 */
	void compare(String what, double measured, double reckoned) {
		System.out.println("| %s | %s | %s | %d | %s | %s | %s |".formatted(this.store, what, number(this.records),
				this.answer, number(measured), number(reckoned), percent((reckoned / measured - 1) * 100)));
	}

	static String number(double number) {
		return String.format(Locale.ROOT, "%,.0f", number);
	}

	static String percent(double percent) {
		return String.format(Locale.ROOT, "%+.1f %%", percent);
	}

	void say(String line) {
		System.out.println("  " + line);
	}

}
