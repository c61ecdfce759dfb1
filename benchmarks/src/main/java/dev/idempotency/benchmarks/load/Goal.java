package dev.idempotency.benchmarks.load;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The goal of a comparison.
 *
 * @param ratio of the CPU time
 * @param bytes how many more bytes may be allocated
 */
record Goal(Bar ratio, Bar bytes) {

	static final Goal NONE = new Goal(Bar.NONE, Bar.NONE);

	static Goal of(double ratio) {
		return new Goal(Bar.atLeast(ratio), Bar.NONE);
	}

	static Goal of(double ratio, int bytes) {
		return new Goal(Bar.atLeast(ratio), Bar.atMost(bytes, " B"));
	}

	String verdict(Comparison comparison) {
		return join(this.ratio.verdict(comparison.cpuRatio().median()),
				this.bytes.verdict(comparison.moreBytes().median()));
	}

	@Override
	public String toString() {
		return join(this.ratio.toString(), this.bytes.toString());
	}

	private static String join(String... texts) {
		return Stream.of(texts).filter((text) -> !text.isEmpty()).collect(Collectors.joining("; "));
	}

}
