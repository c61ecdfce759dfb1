package dev.idempotency.benchmarks.load;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The limit of a figure.
 *
 * @param atLeast the lower limit, if there is one
 * @param atMost the upper limit, if there is one
 * @param unit the unit of the figure
 */
record Bar(@Nullable Double atLeast, @Nullable Double atMost, String unit) {

	/**
	 * No limit.
	 */
	static final Bar NONE = new Bar(null, null, "");

	static Bar atLeast(double value) {
		return new Bar(value, null, "");
	}

	static Bar atLeast(double value, String unit) {
		return new Bar(value, null, unit);
	}

	static Bar atMost(double value, String unit) {
		return new Bar(null, value, unit);
	}

	/**
	 * Whether a figure meets the limit, in a word; empty without a limit.
	 */
	String verdict(double figure) {
		if (this.atLeast != null) {
			return (figure >= this.atLeast) ? "yes" : "**no**";
		}
		if (this.atMost != null) {
			return (figure <= this.atMost) ? "yes" : "**no**";
		}
		return "";
	}

	@Override
	public String toString() {
		if (this.atLeast != null) {
			return "≥ " + number(this.atLeast) + this.unit;
		}
		return (this.atMost != null) ? "≤ " + number(this.atMost) + this.unit : "";
	}

	private static String number(double value) {
		return (value < 10) ? String.format(Locale.ROOT, "%.2f", value) : String.format(Locale.ROOT, "%,.0f", value);
	}

}
