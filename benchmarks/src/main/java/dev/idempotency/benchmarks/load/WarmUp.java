package dev.idempotency.benchmarks.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Warms applications up under load, until their compilers have little left to do.
 */
final class WarmUp {

	/**
	 * An application is warm when its compilers take less than this share of its CPU
	 * time.
	 */
	private static final double LITTLE = 0.02;

	/**
	 * For so many seconds in a row, since a single one is not significant.
	 */
	private static final int SECONDS_WITH_LITTLE = 3;

	private WarmUp() {
	}

	/**
	 * Warms an application up.
	 * @param subject the application
	 * @param load the load that is measured afterwards, since another load would compile
	 * other paths
	 * @param atMost the maximum of seconds
	 * @return after how many seconds the compilers had little to do
	 */
	static int run(Subject subject, Workload load, int atMost) {
		Deque<CpuTime.Used> last = new ArrayDeque<>();
		for (int second = 1; second <= atMost; second++) {
			last.add(subject.run(load, Duration.ofSeconds(1)));
			if (last.size() > SECONDS_WITH_LITTLE) {
				last.remove();
			}
			CpuTime.Used used = last.stream().reduce(new CpuTime.Used(0, 0), CpuTime.Used::plus);
			if (last.size() == SECONDS_WITH_LITTLE && used.shareOfCompilers() < LITTLE) {
				return second;
			}
		}
		return atMost;
	}

}
