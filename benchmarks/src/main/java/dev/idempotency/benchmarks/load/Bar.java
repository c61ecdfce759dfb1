package dev.idempotency.benchmarks.load;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * What a figure has to come to.
 *
 * @param atLeast the least that will do, if there is such
 * @param atMost the most that will do, if there is such
 * @param unit what is counted
 */
record Bar(@Nullable Double atLeast, @Nullable Double atMost, String unit) {

	/**
	 * Nothing was promised.
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
	 * Whether a figure will do, in a word; nothing where nothing was promised.
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
