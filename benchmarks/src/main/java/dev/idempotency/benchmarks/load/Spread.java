package dev.idempotency.benchmarks.load;

import java.util.List;

/**
 * A figure that was measured several times.
 *
 * @param median the median
 * @param low the lower quartile
 * @param high the upper quartile
 */
record Spread(double median, double low, double high) {

	static Spread of(List<Double> values) {
		List<Double> sorted = values.stream().sorted().toList();
		return new Spread(quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75));
	}

	private static double quantile(List<Double> sorted, double share) {
		double at = share * (sorted.size() - 1);
		int below = (int) at;
		int above = Math.min(below + 1, sorted.size() - 1);
		return sorted.get(below) + (at - below) * (sorted.get(above) - sorted.get(below));
	}

	@Override
	public String toString() {
		return (Math.abs(this.median) < 100) ? "%.2f (%.2f–%.2f)".formatted(this.median, this.low, this.high)
				: "%.0f (%.0f–%.0f)".formatted(this.median, this.low, this.high);
	}

}
