package dev.idempotency.benchmarks.sizing;

import java.util.Locale;

/**
 * Prints each measured value at once, next to the calculated one.
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
	 * Prints a line of a table.
	 * @param what what was measured
	 * @param measured the measured value
	 * @param calculated the calculated value
	 */
	void compare(String what, double measured, double calculated) {
		System.out.println("| %s | %s | %s | %d | %s | %s | %s |".formatted(this.store, what, number(this.records),
				this.answer, number(measured), number(calculated), percent((calculated / measured - 1) * 100)));
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
